import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import { describeAnswer, describeNoAnswer } from '../network/describe-answer';
import { ask, NoAnswerError, objectIn } from '../network/http';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { notRunning } from './not-running';

const look = async (visit: Visit): Promise<Finding> => {
  const { doorUrl: url, settings, isContainer } = visit;
  const place = judgeReach(await reach(url), { what: "the trainer's door", setting: 'door.port', isContainer });
  if (place.status === 'failed') return notRunning(visit, place.seen);
  try {
    const answer = await ask(`${url}/v1/stats`, { key: settings.door.apiKeys[0] });
    if (answer.status === 401) {
      return failed(
        'it refuses the key of these settings (401)',
        'it was started with other door.api_keys: start it again; trainers need one of its keys',
      );
    }
    const stats = objectIn(answer.text);
    if (answer.status !== 200 || typeof stats?.waiting !== 'number') {
      return failed(
        `${url}: ${describeAnswer(answer)}`,
        'look at the log of sample-submitter, or at what else has the port',
      );
    }
    return ok(`it runs; ${stats.waiting} samples wait, policy version ${String(stats.policy_version)}`);
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error;
    const { seen, remedy } = describeNoAnswer(error.code, 'door.port');
    return failed(`${url}: ${seen}`, remedy);
  }
};

export const doorCheck: Check = { id: 'door', title: "trainer's door", needs: ['settings'], look };
