import { binaryReward, type Score } from '@app/advantage';
import type { SettleReason } from '@app/contracts';
import { buildSample, SampleInvariantError, type RewardSource, type Sample } from '@app/sample';
import { captureTurn, type StoredTurn } from './capture-turn';

/** What was found out about a turn: by votes, or by a person. `score` null is "not judged". */
export interface Verdict {
  readonly score: Score | null;
  readonly source: RewardSource;
  readonly votes?: readonly (Score | null)[];
}

export type Outcome =
  | { readonly kind: 'sample'; readonly sample: Sample }
  | { readonly kind: 'reason'; readonly reason: SettleReason; readonly detail?: string };

/**
 * Binary RL: what becomes of one judged turn. What excludes the turn itself comes first, then the score; values that do not
 * make a sample are never padded or cut, the turn is `incomplete`.
 */
export const settleTurn = (turn: StoredTurn, verdict: Verdict): Outcome => {
  const { exclusion } = turn.info;
  if (exclusion !== undefined) {
    const { detail } = turn.body.head;
    return { kind: 'reason', reason: exclusion, ...(detail === undefined ? {} : { detail }) };
  }
  const reward = binaryReward(verdict.score);
  if (reward.kind === 'none') return { kind: 'reason', reason: reward.reason };
  try {
    const outcome = { reward: reward.reward, source: verdict.source, votes: verdict.votes };
    return { kind: 'sample', sample: buildSample(captureTurn(turn), outcome) };
  } catch (error) {
    if (error instanceof SampleInvariantError) return { kind: 'reason', reason: 'incomplete', detail: error.message };
    throw error;
  }
};
