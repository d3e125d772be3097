import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import { describeAnswer, describeNoAnswer } from '../network/describe-answer';
import { ask, NoAnswerError, objectIn } from '../network/http';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { notRunning } from './not-running';

/** What to say of the gateway's readiness. */
export const judgeReadiness = (body: Readonly<Record<string, unknown>>): Finding => {
  const { policy, bus, status } = body;
  if (policy === 'unreachable') {
    return failed(
      'it runs, and cannot reach the policy',
      'see the lines about the policy; the gateway goes on by itself once the policy answers',
    );
  }
  if (bus === 'down') {
    return failed('it serves, and cannot reach NATS: turns are kept in memory, then lost', 'see the lines about NATS');
  }
  if (status !== 'ok') {
    return warning(
      'it serves, and an engine of the policy is not in order',
      'GET /readyz names the engine, and says what to do',
    );
  }
  return ok('it runs and is ready');
};

const look = async (visit: Visit): Promise<Finding> => {
  const { gatewayUrl: url, settings, isContainer } = visit;
  const place = judgeReach(await reach(url), { what: 'the gateway', setting: 'gateway.port', isContainer });
  if (place.status === 'failed') {
    return place.remedy?.startsWith('something listens') === true ? place : notRunning(visit, place.seen);
  }
  try {
    const ready = await ask(`${url}/readyz`);
    const body = objectIn(ready.text);
    if (body === null || typeof body.policy !== 'string') {
      return failed(
        `${url} is no gateway: ${describeAnswer(ready)}`,
        'another program has its port: stop it, or set gateway.port',
      );
    }
    const models = await ask(`${url}/v1/models`, { key: settings.gateway.apiKeys[0] });
    if (models.status === 401) {
      return failed(
        'it refuses the key of these settings (401)',
        'it was started with other gateway.api_keys: start it again; clients need one of its keys',
      );
    }
    return judgeReadiness(body);
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    const { seen, remedy } = describeNoAnswer(error.code, 'gateway.port');
    return failed(`${url}: ${seen}`, remedy);
  }
};

export const gatewayCheck: Check = { id: 'gateway', title: 'gateway', needs: ['settings'], look };
