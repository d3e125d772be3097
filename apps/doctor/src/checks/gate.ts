import { isRecord } from '@app/chat';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import { describeAnswer } from '../network/describe-answer';
import { ask, objectIn, type Answer } from '../network/http';
import type { Visit } from '../visit';

const SECOND = 1000;
const textOf = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

const named = (engines: readonly Readonly<Record<string, unknown>>[]): string =>
  engines.map(({ url }) => textOf(url, 'an engine')).join(', ');

/**
 * What to say of the update gate and its engines, as the door reports the policy.
 *
 * @param now milliseconds since 1970
 */
export const judgeGate = (policy: Readonly<Record<string, unknown>>, now: number): Finding => {
  const gate = isRecord(policy.gate) ? policy.gate : {};
  const engines = (Array.isArray(policy.engines) ? (policy.engines as unknown[]) : []).filter(isRecord);
  const state = textOf(gate.state, 'unknown');
  const holder = textOf(gate.holder, 'a trainer');
  if (gate.closed === true) {
    const left =
      typeof gate.until === 'number' ? ` for ${Math.max(0, Math.ceil((gate.until - now) / SECOND))} s at most` : '';
    return warning(
      `closed: ${holder} updates the weights (${state})${left}; requests wait`,
      'wait; a trainer that has died loses its hold when that time is over',
    );
  }
  if (state !== 'serving') {
    return warning(
      `an update of ${holder} has not ended (${state}); its hold is over, and chats are served`,
      'the services find out what became of it; GET /v1/policy at the door says so then',
    );
  }
  const away = engines.filter(({ reachable }) => reachable === false);
  if (away.length > 0) {
    const seen = `open; ${named(away)} cannot be reached by the door`;
    const settings = 'server.base_url and pools.policy_engines';
    return away.length === engines.length
      ? failed(seen, `no update can be made: start it, or mend ${settings}`)
      : warning(seen, `start it, or mend ${settings}: updates go on without it, and it comes back with old weights`);
  }
  const { engine_version: expected } = policy;
  const stale = typeof expected === 'string' ? engines.filter(({ version }) => version !== expected) : [];
  if (stale.length > 0) {
    return warning(
      `open; ${named(stale)} serves other weights than those of policy version ${String(policy.policy_version)}`,
      'nothing that it makes is trained on: load the right weights into it, or let the next update do it; GET /readyz of the gateway says more',
    );
  }
  if (new Set(engines.map(({ version }) => version)).size > 1) {
    return warning(
      'open; the engines of the policy have different weights',
      'load the same weights into all of them, or let the next update do it',
    );
  }
  return ok(`open, policy version ${String(policy.policy_version)}`);
};

const askPolicy = ({ doorUrl, settings }: Visit): Promise<Answer> =>
  ask(`${doorUrl}/v1/policy`, { key: settings.door.apiKeys[0] });

/** Whether the door says that the gate is closed; false where it says nothing. */
export const isGateClosed = async (visit: Visit): Promise<boolean> => {
  const policy = await askPolicy(visit).then(
    ({ text }) => objectIn(text),
    () => null,
  );
  return isRecord(policy?.gate) && policy.gate.closed === true;
};

const look = async (visit: Visit): Promise<Finding> => {
  const answer = await askPolicy(visit);
  const policy = objectIn(answer.text);
  if (answer.status !== 200 || policy === null)
    return failed(describeAnswer(answer), 'look at the log of sample-submitter');
  return judgeGate(policy, Date.now());
};

export const gateCheck: Check = { id: 'gate', title: 'update gate', needs: ['door'], look };
