import type { Numbers } from './numbers';
import { SoftmaxRows } from './softmax-rows';
import { weightedSum } from './token-weights';

export interface EntropyBatch {
  /** [R * V] one row per response token, the row that predicts it. Already divided by the temperature, if there is one. */
  readonly logits: Numbers;
  /** V */
  readonly vocabulary: number;
  /** [R] from `tokenWeights`; a token of weight 0 is passed over. */
  readonly weights: Numbers;
}

export interface Entropy {
  /** Sum of the weighted entropies, in nats. A bonus: subtract it from the loss, times its coefficient. */
  readonly entropy: number;
  /** [R] before weighting; 0 where the weight is 0. */
  readonly perToken: Float64Array;
  /** [R * V] of `entropy` with respect to the logits. */
  readonly gradient: Float64Array;
}

/**
 * Entropy of the policy's own distribution at each response token: -sum(p log p), with gradient -p (log p + entropy).
 * Source: the entropy bonus of Mnih et al., 2016.
 *
 * @throws LogitsShapeError
 */
export const tokenEntropy = ({ logits, vocabulary, weights }: EntropyBatch): Entropy => {
  const tokens = weights.length;
  const gradient = new Float64Array(logits.length);
  const rows = new SoftmaxRows(logits, { tokens, vocabulary }, gradient);
  const perToken = new Float64Array(tokens);
  for (let t = 0; t < tokens; t += 1) {
    const weight = weights[t] as number;
    if (weight === 0) continue;
    rows.read(t);
    const start = t * vocabulary;
    const logSum = rows.largest + Math.log(rows.sum);
    let entropy = 0;
    for (let i = start; i < start + vocabulary; i += 1) {
      const p = (gradient[i] as number) / rows.sum;
      if (p !== 0) entropy -= p * ((logits[i] as number) - logSum);
    }
    for (let i = start; i < start + vocabulary; i += 1) {
      const p = (gradient[i] as number) / rows.sum;
      gradient[i] = p === 0 ? 0 : -weight * p * ((logits[i] as number) - logSum + entropy);
    }
    perToken[t] = entropy;
  }
  return { entropy: weightedSum(perToken, weights), perToken, gradient };
};
