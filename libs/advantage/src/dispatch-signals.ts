/** Which signals train: `binary` rewards alone, `opd` the hint teacher alone, `hybrid` both. */
export type Method = 'binary' | 'opd' | 'hybrid';

/** What is known of one turn. */
export interface TurnSignals {
  /** The reward, if the method uses one; null: not judged. */
  readonly score: number | null;
  /** Whether there are log-probs of a teacher that was given a hint. */
  readonly hasTeacher: boolean;
  /** The reward will be compared with others': 0 is one like any other then. @default false */
  readonly isRelative?: boolean;
}

/** A sample with its reward (0: none) and with or without a teacher, or the reason why there is none. */
export type Dispatch =
  | { readonly kind: 'sample'; readonly reward: number; readonly usesTeacher: boolean }
  | { readonly kind: 'none'; readonly reason: 'neutral' | 'not_judged' | 'no_hint' };

/**
 * What a method makes of one turn: one sample at most.
 *
 * | method | teacher and r | teacher alone | r alone | neither |
 * | --- | --- | --- | --- | --- |
 * | binary | r | none | r | none |
 * | opd | teacher | teacher | none | none |
 * | hybrid | both | teacher, r = 0 | r | none |
 *
 * A reward of 0 is none, unless it is relative: it would have advantage 0 and fill a place in a batch with nothing. A score of null is a judge
 * that failed, not a neutral one. Source: Binary RL, OPD and Combine of OpenClaw-RL.
 */
export const dispatchSignals = (method: Method, { score, hasTeacher, isRelative = false }: TurnSignals): Dispatch => {
  const reward = method === 'opd' ? 0 : (score ?? 0);
  if (hasTeacher && method !== 'binary') return { kind: 'sample', reward, usesTeacher: true };
  if (method === 'opd') return { kind: 'none', reason: 'no_hint' };
  const isReward = reward !== 0 || (isRelative && score !== null);
  if (isReward) return { kind: 'sample', reward, usesTeacher: false };
  return { kind: 'none', reason: score === null ? 'not_judged' : 'neutral' };
};
