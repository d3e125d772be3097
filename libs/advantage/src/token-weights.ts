import { requireSameLength, type Numbers } from './numbers';

/** How token losses become one number: the mean of each sample, or the plain sum over tokens. */
export type Reduction = 'sample_mean' | 'token_sum';

/**
 * What each response token of one sample counts in the loss. The loss of a batch is the sum over its samples of
 * `weightedSum(token losses, token weights)`; divide by the number of samples, or of trained tokens, for a mean over the batch.
 *
 * `sample_mean`: 1 / (trained tokens, at least 1) where the mask is set. `token_sum`: 1 where it is set. 0 elsewhere.
 * Source: slime's `sum_of_sample_mean` and `sum_of_token`.
 *
 * @param mask [R] not 0 where a token is trained on
 * @returns [R]
 */
export const tokenWeights = (mask: Numbers, reduction: Reduction): Float64Array => {
  let trained = 0;
  for (let i = 0; i < mask.length; i += 1) if (mask[i] !== 0) trained += 1;
  const weight = reduction === 'sample_mean' ? 1 / Math.max(1, trained) : 1;
  const weights = new Float64Array(mask.length);
  for (let i = 0; i < mask.length; i += 1) if (mask[i] !== 0) weights[i] = weight;
  return weights;
};

/**
 * Sum of values times weights. A value of weight 0 is passed over, not multiplied: NaN or infinity under a mask stays there.
 *
 * @param values [R]
 * @param weights [R]
 * @throws LengthMismatchError
 */
export const weightedSum = (values: Numbers, weights: Numbers): number => {
  requireSameLength({ values, weights });
  let sum = 0;
  for (let i = 0; i < values.length; i += 1) {
    const weight = weights[i] as number;
    if (weight !== 0) sum += weight * (values[i] as number);
  }
  return sum;
};
