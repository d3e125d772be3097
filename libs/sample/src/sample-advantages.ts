import { combinedAdvantages } from '@app/advantage';
import type { Sample } from './sample';

/**
 * The token advantages of a sample: w_binary * r + w_opd * (log p_teacher - log p_old), without the second term where there
 * is no teacher. The log-probs as sampled are the old ones. [R]
 */
export const sampleAdvantages = (sample: Sample): Float64Array =>
  combinedAdvantages({
    reward: sample.reward.score,
    teacherLogProbs: sample.teacher_log_probs,
    oldLogProbs: sample.rollout_log_probs,
    binaryWeight: sample.metadata.weights.binary_reward,
    opdWeight: sample.metadata.weights.opd,
  });
