import type { Score } from './score';

/** What Binary RL makes of one judged turn: a reward for every token of the response, or the reason why there is none. */
export type BinaryReward =
  | { readonly kind: 'reward'; readonly reward: 1 | -1 }
  | { readonly kind: 'none'; readonly reason: 'neutral' | 'not_judged' };

/**
 * Binary RL trains on +1 and -1 only, with A_t = r for every response token.
 * A 0 would have advantage 0 and fill a place in the batch with nothing; null is a judge that failed, not a neutral one.
 */
export const binaryReward = (score: Score | null): BinaryReward => {
  if (score === null) return { kind: 'none', reason: 'not_judged' };
  return score === 0 ? { kind: 'none', reason: 'neutral' } : { kind: 'reward', reward: score };
};
