import { nextLogProbs, type EngineDouble } from '@app/testing';
import type { LeasedSample } from '../support/trainer-client';
import { askEngine } from './engine';
import type { Attempt } from './ledger';
import { JUDGE_WEIGHTS } from './stack';
import type { TrainingLog } from './trainer';
import type { Truth } from './truth';

/** Log-probs cross the wire as JSON numbers and are kept as they came. */
const TOLERANCE = 1e-9;

const isClose = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => Math.abs(value - (b[i] ?? NaN)) <= TOLERANCE);

const isEqual = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

/**
 * Whether a teacher's log-probs are what its weights say of the answer, and the advantages what the method says. The double's
 * model looks at three tokens only, and a prompt ends alike with a hint and without.
 */
const isTaught = ({ tokens, response_length, ...sample }: LeasedSample): boolean => {
  const first = tokens.length - response_length;
  const teacher = tokens
    .slice(first)
    .map((id, i) => nextLogProbs(JUDGE_WEIGHTS, tokens.slice(0, first + i))[id] ?? NaN);
  const expected = sample.rollout_log_probs.map((logProb, i) =>
    sample.teacher_log_probs === null ? sample.reward.score : sample.reward.score + (teacher[i] ?? NaN) - logProb,
  );
  return isClose(sample.teacher_log_probs ?? teacher, teacher) && isClose(sample.advantages, expected);
};

export interface Checked {
  readonly truth: Truth;
  readonly log: TrainingLog;
  readonly attempts: readonly Attempt[];
  readonly engine: EngineDouble;
}

/** Every sample was trained on exactly once, and holds exactly what the engine had sent for its request. */
export const checkSamples = async ({ truth, log, attempts, engine }: Checked): Promise<string[]> => {
  const violations = log.twice.map((id) => `sample ${id} was acknowledged twice`);
  const stored = new Map([...truth.settled].filter(([, { kind }]) => kind === 'sample'));
  for (const id of stored.keys()) if (!log.trained.has(id)) violations.push(`sample ${id} was never acknowledged`);
  const byId = new Map(attempts.map((attempt) => [attempt.turnId, attempt]));
  for (const [id, sample] of log.trained) {
    const settled = stored.get(id);
    if (settled === undefined) {
      violations.push(`sample ${id} was trained on and is stored nowhere`);
      continue;
    }
    if (sample.reward.score !== settled.score) violations.push(`sample ${id} has reward ${sample.reward.score}`);
    if (!isTaught(sample)) violations.push(`sample ${id} has other teacher's log-probs or advantages`);
    const attempt = byId.get(id);
    if (attempt === undefined) continue;
    const sent = await askEngine(engine, attempt.body);
    if (!isEqual(sample.tokens, sent.tokens)) violations.push(`sample ${id} has other ids than the engine sent`);
    if (sample.response_length !== sent.responseLength) violations.push(`sample ${id} has another response length`);
    if (!isClose(sample.rollout_log_probs, sent.logProbs)) violations.push(`sample ${id} has other log-probs`);
  }
  return violations;
};
