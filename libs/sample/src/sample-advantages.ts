import { combinedAdvantages, normalizeRewards, type RewardNormalization } from '@app/advantage';
import type { Sample } from './sample';

/**
 * The rewards that a batch is trained with: integrated ones normalised over the batch's samples of the same step index,
 * others as they are. A sample that has no reward stays out of every mean.
 *
 * @param samples [N]
 * @param byStep how rewards of the same step are compared
 * @returns [N]
 */
export const batchRewards = (samples: readonly Sample[], byStep: RewardNormalization): Float64Array => {
  const steps = samples.map(({ metadata }) => metadata.step_index);
  const integrated = samples.map(({ reward }, i) => (steps[i] === null ? null : reward.score));
  const normalized = normalizeRewards(
    integrated,
    steps.map((step) => step ?? -1),
    byStep,
  );
  return Float64Array.from(samples, ({ reward }, i) => (steps[i] === null ? reward.score : (normalized[i] as number)));
};

/**
 * The token advantages of a sample: w_binary * r + w_opd * (log p_teacher - log p_old), without the second term where there
 * is no teacher. The log-probs as sampled are the old ones. [R]
 *
 * @param reward r, as `batchRewards` gives it for the sample's batch
 */
export const sampleAdvantages = (sample: Sample, reward: number = sample.reward.score): Float64Array =>
  combinedAdvantages({
    reward,
    teacherLogProbs: sample.teacher_log_probs,
    oldLogProbs: sample.rollout_log_probs,
    binaryWeight: sample.metadata.weights.binary_reward,
    opdWeight: sample.metadata.weights.opd,
  });
