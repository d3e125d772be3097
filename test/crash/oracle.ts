import type { Attempt, Life } from './ledger';
import type { Outage } from './stack';
import type { Truth } from './truth';

/** A gateway publishes what it has captured at once; this long it may take on a busy machine, in milliseconds. */
const PUBLISH_MS = 1500;
/** After an outage of NATS: publishes under way wait so long for their answer before they are sent again. */
const AFTER_OUTAGE_MS = 8000;

export interface Evidence {
  readonly attempts: readonly Attempt[];
  readonly truth: Truth;
  readonly outages: readonly Outage[];
  /** How long a session may be quiet, and how long an answer may take, before the tracker gives it up. */
  readonly idleMs: number;
  /** Reasons that this run brings about on purpose, beside those that its conversations bring about. */
  readonly allowed?: readonly string[];
  /** The method of the run. @default 'binary' */
  readonly method?: 'binary' | 'hybrid' | undefined;
}

/** What was found: everything counted, and everything that must not be. */
export interface Findings {
  readonly counts: Readonly<Record<string, number>>;
  readonly violations: readonly string[];
  /** Finished turns with another outcome than expected, and the requests that continued them. */
  readonly suspects: readonly Attempt[];
}

/** What a turn may have become. */
type Expected = readonly string[];

const BY_SCORE = {
  binary: { 1: 'sample +1', [-1]: 'sample -1', 0: 'neutral' },
  // The double takes a complaint for a hint as well, and nothing else.
  hybrid: { 1: 'sample +1', [-1]: 'sample -1 with a teacher', 0: 'neutral: no_hint' },
} as const;

/** What the system says a turn has become, in the oracle's words. */
const outcomeOf = (truth: Truth, turnId: string): string => {
  const settled = truth.settled.get(turnId);
  if (settled === undefined) return truth.arrived.has(turnId) ? 'not settled' : 'unrecorded';
  if (settled.kind === 'sample') {
    const teacher = settled.signal === 'both' ? ' with a teacher' : '';
    return `sample ${settled.score === 1 ? '+1' : String(settled.score)}${teacher}`;
  }
  return settled.detail === undefined ? (settled.reason ?? '?') : `${settled.reason ?? '?'}: ${settled.detail}`;
};

/** From when on a gateway's death could take along what it had captured. */
const exposedSince = (killedAt: number, outages: readonly Outage[]): number => {
  const outage = outages.find(({ from, to }) => from <= killedAt && killedAt <= to + AFTER_OUTAGE_MS);
  return Math.min(killedAt, outage?.from ?? killedAt) - PUBLISH_MS;
};

const wasInHand = ({ killedAt }: Life, endedAt: number, outages: readonly Outage[]): boolean =>
  killedAt !== undefined && endedAt >= exposedSince(killedAt, outages) && endedAt <= killedAt + PUBLISH_MS;

/** A replica that comes up while NATS is away does not know the policy's version, and says so of its turns. */
const startedBlind = ({ startedAt }: Life, outages: readonly Outage[]): boolean =>
  outages.some(({ from, to }) => startedAt <= to + AFTER_OUTAGE_MS && from <= startedAt + AFTER_OUTAGE_MS);

const continues = ({ session, step, purpose, ending }: Attempt, turn: Attempt): boolean =>
  session === turn.session && step === turn.step + 1 && purpose === 'main' && ending !== 'refused';

/** Whether a request left no trace at all, as one in the hands of a gateway that dies may. */
const isUnrecorded = ({ turnId, gateway, endedAt }: Attempt, { truth, outages }: Evidence): boolean =>
  wasInHand(gateway, endedAt, outages) && !truth.arrived.has(turnId ?? '') && !truth.completed.has(turnId ?? '');

const expectedOf = (turn: Attempt, evidence: Evidence): Expected => {
  const { attempts, idleMs, outages, method = 'binary' } = evidence;
  const lost = [
    ...(wasInHand(turn.gateway, turn.endedAt, outages) ? ['gateway_lost', 'unrecorded'] : []),
    // On a starved machine an answer may take longer than the run's session.answer_minutes.
    ...(turn.endedAt - turn.startedAt > idleMs ? ['gateway_lost'] : []),
  ];
  const blind = startedBlind(turn.gateway, outages) ? ['incomplete: policy_version_unknown'] : [];
  if (turn.purpose === 'aside') return ['side_turn', ...lost];
  const followers = attempts.filter((each) => continues(each, turn));
  const follower = followers.at(-1);
  if (follower === undefined) return ['no_next_state', ...lost, ...blind];
  const score = BY_SCORE[method][turn.session.steps[turn.step + 1]!.score];
  // A client that was away for so long may find its session ended.
  const isLate = follower.startedAt - turn.endedAt > idleMs / 2;
  const isUnseen = followers.every((each) => isUnrecorded(each, evidence));
  return [score, ...lost, ...blind, ...(isLate || isUnseen ? ['no_next_state'] : [])];
};

const describe = ({ client, session, step, purpose, turnId, gateway }: Attempt): string =>
  `${purpose} turn ${turnId ?? '?'} (client ${client}, ${session.style} session ${session.id}, step ${step}, ${gateway.service})`;

/** Holds the system's word against the clients' own list. */
export const judgeRun = (evidence: Evidence): Findings => {
  const { attempts, truth, allowed = [], outages } = evidence;
  const violations: string[] = [];
  const suspects: Attempt[] = [];
  const counts: Record<string, number> = {};
  const count = (what: string): void => void (counts[what] = (counts[what] ?? 0) + 1);
  for (const { ending, note } of attempts) count(`attempts ${ending}${note === '' ? '' : `: ${note.slice(0, 70)}`}`);

  for (const turn of attempts.filter(({ ending }) => ending === 'finished')) {
    const id = turn.turnId ?? '';
    const outcome = outcomeOf(truth, id);
    count(`finished ${turn.purpose}: ${outcome}`);
    const expected = expectedOf(turn, evidence);
    if (expected.includes(outcome) || allowed.includes(outcome)) continue;
    violations.push(`${describe(turn)} became "${outcome}", expected ${expected.join(' or ')}`);
    suspects.push(turn, ...attempts.filter((each) => continues(each, turn)));
  }

  for (const id of [...truth.arrived, ...truth.completed]) {
    if (!truth.settled.has(id)) violations.push(`turn ${id} was recorded and never settled`);
  }

  const known = new Map(attempts.flatMap((attempt) => (attempt.turnId === null ? [] : [[attempt.turnId, attempt]])));
  const finishedIds = new Set(attempts.filter(({ ending }) => ending === 'finished').map(({ turnId }) => turnId));
  const unfinished = [...truth.settled.keys()].filter((id) => !finishedIds.has(id));
  for (const id of unfinished) {
    const attempt = known.get(id);
    const outcome = outcomeOf(truth, id);
    count(`unfinished ${attempt?.purpose ?? 'unknown to clients'}: ${outcome}`);
    if (outcome.startsWith('sample')) {
      const isDeadGateways = attempt === undefined || wasInHand(attempt.gateway, attempt.endedAt, outages);
      if (!isDeadGateways && attempt.ending !== 'abandoned') violations.push(`${describe(attempt)} became ${outcome}`);
    }
  }
  const nameless = attempts.filter(({ ending, turnId }) => ending === 'broken' && turnId === null).length;
  const unknown = unfinished.filter((id) => !known.has(id)).length;
  if (unknown > nameless)
    violations.push(`${unknown} turns are known to no client, ${nameless} can have been in flight`);

  for (const letter of truth.deadLetters) violations.push(`dead letter: ${letter}`);
  return { counts: Object.fromEntries(Object.entries(counts).sort()), violations, suspects };
};

/** Messages that a guard should have refused: subjects of these streams are written once, so nothing is ever replaced. */
export const replaced = ({ removed }: Truth): readonly string[] =>
  (['RL_TURNS', 'RL_FOLLOWS', 'RL_VERDICTS', 'RL_SAMPLES'] as const)
    .filter((stream) => removed[stream] > 0)
    .map((stream) => `${removed[stream]} messages of ${stream} were replaced or removed`);
