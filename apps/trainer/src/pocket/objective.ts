import {
  approximateKl,
  policyLoss,
  tokenEntropy,
  tokenWeights,
  topKDistillation,
  type KlKind,
  type Numbers,
  type PolicyClip,
  type Reduction,
} from '@app/advantage';
import { sampleAdvantages, type Sample } from '@app/sample';

/** How much each term of the loss counts. */
export interface ObjectiveOptions {
  readonly clip: PolicyClip;
  readonly kl: KlKind;
  readonly klCoefficient: number;
  readonly entropyCoefficient: number;
  readonly distillationCoefficient: number;
}

/** What each token of each sample counts in the mean over a batch. [samples][R] */
export const batchWeights = (samples: readonly Sample[], reduction: Reduction): Float64Array[] => {
  const weights = samples.map(({ loss_mask }) => tokenWeights(loss_mask, reduction));
  const trained = (mask: Uint8Array): number => mask.reduce((sum, each) => sum + (each === 0 ? 0 : 1), 0);
  const total =
    reduction === 'sample_mean' ? samples.length : samples.reduce((sum, each) => sum + trained(each.loss_mask), 0);
  return weights.map((each) => each.map((weight) => weight / Math.max(1, total)));
};

/** A sample of a batch, and the reward that it is trained with. */
export interface BatchSample {
  readonly sample: Sample;
  /** As `batchRewards` gives it. */
  readonly reward: number;
  /** [R] from `batchWeights`. */
  readonly weights: Float64Array;
}

/** What the model says of one sample's response tokens, taken as its own log-probs were. */
export interface Scored {
  /** [R] */
  readonly newLogProbs: Numbers;
  /** [R] under the weights that training began with. */
  readonly baseLogProbs: Numbers;
}

/** One sample's part in the loss of its batch. */
export interface SampleLoss {
  readonly policy: number;
  /** Weighted, in nats, before its coefficient. */
  readonly kl: number;
  /** [R] of the loss, KL term and all, with respect to the new log-probs. */
  readonly slopes: Float64Array;
  /** [R] 1 where the clip decided. */
  readonly clipped: Uint8Array;
  /** [R] */
  readonly advantages: Float64Array;
}

/**
 * Policy loss and KL term of one sample, with their gradient.
 * @throws LengthMismatchError, DualClipError
 */
export const sampleLoss = (
  { sample, reward, weights }: BatchSample,
  { newLogProbs, baseLogProbs }: Scored,
  { clip, kl: kind, klCoefficient }: ObjectiveOptions,
): SampleLoss => {
  const advantages = sampleAdvantages(sample, reward);
  const policy = policyLoss({ newLogProbs, oldLogProbs: sample.rollout_log_probs, advantages, weights }, clip);
  const kl = approximateKl({ newLogProbs, baseLogProbs, weights }, kind);
  const slopes = policy.gradient.map((slope, i) => slope + klCoefficient * (kl.gradient[i] as number));
  return { policy: policy.loss, kl: kl.loss, slopes, clipped: policy.clipped, advantages };
};

/** The untempered logits from which one sample's response tokens were chosen. */
export interface ScoredLogits {
  /** [R * V] */
  readonly logits: Numbers;
  /** V */
  readonly vocabulary: number;
}

/** The terms that look at whole distributions, with the gradient of their sum. */
export interface DistributionLoss {
  readonly distillation: number;
  readonly entropy: number;
  /** [R * V] of `distillationCoefficient * distillation - entropyCoefficient * entropy`. */
  readonly slopes: Float64Array;
}

/**
 * Distillation of the teacher's likeliest tokens, and the entropy bonus. null: neither counts for this sample.
 * @throws LogitsShapeError, TokenIdError
 */
export const distributionLoss = (
  { sample, weights }: Pick<BatchSample, 'sample' | 'weights'>,
  { logits, vocabulary }: ScoredLogits,
  { distillationCoefficient, entropyCoefficient }: ObjectiveOptions,
): DistributionLoss | null => {
  const { teacher_topk_log_probs: top, teacher_topk_indices: ids, teacher_topk_mask: mask } = sample;
  const isDistilled = distillationCoefficient > 0 && top !== null && ids !== null && mask !== null;
  if (!isDistilled && entropyCoefficient === 0) return null;
  const slopes = new Float64Array(logits.length);
  const add = (gradient: Float64Array, factor: number): void => {
    for (let i = 0; i < slopes.length; i += 1) slopes[i] = (slopes[i] as number) + factor * (gradient[i] as number);
  };
  let [distillation, entropy] = [0, 0];
  if (isDistilled) {
    const own = weights.map((weight, i) => (mask[i] === 0 ? 0 : weight));
    const term = topKDistillation({ logits, vocabulary, teacherLogProbs: top, teacherIds: ids, weights: own });
    distillation = term.loss;
    add(term.gradient, distillationCoefficient);
  }
  if (entropyCoefficient > 0) {
    const term = tokenEntropy({ logits, vocabulary, weights });
    entropy = term.entropy;
    add(term.gradient, -entropyCoefficient);
  }
  return { distillation, entropy, slopes };
};
