import type { Score } from './score';

export interface IntegratedWeights {
  readonly outcomeWeight: number;
  readonly processWeight: number;
}

/**
 * Reward of one step of a session whose outcome is known: outcome_weight * outcome + process_weight * mean(votes). Failed
 * votes stay out of the mean. null, "no reward", where there is no outcome, or no valid vote.
 * Source: integrated (outcome and process) rewards of OpenClaw-RL.
 *
 * @param outcome how the whole session went, in the caller's own units; null: not known
 * @param votes the judge's votes on the step, or one score by a person
 */
export const integratedReward = (
  outcome: number | null,
  votes: readonly (Score | null)[],
  { outcomeWeight, processWeight }: IntegratedWeights,
): number | null => {
  const valid = votes.filter((vote) => vote !== null);
  if (outcome === null || valid.length === 0) return null;
  const mean = valid.reduce<number>((sum, vote) => sum + vote, 0) / valid.length;
  return outcomeWeight * outcome + processWeight * mean;
};
