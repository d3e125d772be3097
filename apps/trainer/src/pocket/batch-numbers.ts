import type { Sample } from '@app/sample';
import type { SampleLoss } from './objective';

/** What one sample's tokens were found to be. */
export interface SeenSample {
  readonly sample: Sample;
  readonly loss: SampleLoss;
  /** [R] */
  readonly newLogProbs: ArrayLike<number>;
  /** [R] of the distribution that each token was chosen from, in nats. */
  readonly entropies: ArrayLike<number>;
}

/** Numbers about a batch, over its trained tokens. */
export interface BatchNumbers {
  readonly clip_fraction: number;
  readonly entropy: number;
  readonly advantage_mean: number;
  readonly advantage_std: number;
  /** Mean distance of the new log-probs from the sampled ones. Near 0 on fresh samples: the ids are exact. */
  readonly log_prob_difference: number;
  readonly mean_score: number;
}

/** @param seen one entry a sample */
export const describeBatch = (seen: readonly SeenSample[]): BatchNumbers => {
  const tokens = seen.flatMap(({ sample, loss, newLogProbs, entropies }) =>
    Array.from(sample.rollout_log_probs, (old, i) => ({
      isTrained: sample.loss_mask[i] !== 0,
      clipped: loss.clipped[i] ?? 0,
      entropy: entropies[i] ?? 0,
      advantage: loss.advantages[i] ?? 0,
      difference: Math.abs((newLogProbs[i] ?? NaN) - old),
    })),
  );
  const trained = tokens.filter(({ isTrained }) => isTrained);
  const mean = (value: (token: (typeof tokens)[number]) => number): number =>
    trained.reduce((sum, token) => sum + value(token), 0) / Math.max(1, trained.length);
  const advantage = mean((token) => token.advantage);
  return {
    clip_fraction: mean((token) => token.clipped),
    entropy: mean((token) => token.entropy),
    advantage_mean: advantage,
    advantage_std: Math.sqrt(mean((token) => (token.advantage - advantage) ** 2)),
    log_prob_difference: mean((token) => token.difference),
    mean_score: seen.reduce((sum, { sample }) => sum + sample.reward.score, 0) / Math.max(1, seen.length),
  };
};
