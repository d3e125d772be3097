import { requireSameLength, type Numbers } from './numbers';
import { weightedSum } from './token-weights';

/** Estimators of KL(new, base) from the sampled tokens alone, with d = log p_new - log p_base. */
export const KL_KINDS = ['k1', 'k2', 'k3', 'low_var_kl'] as const;
export type KlKind = (typeof KL_KINDS)[number];

/** Bound of `low_var_kl` in nats, either side. */
const LARGEST = 10;

export interface KlBatch {
  /** [R] under the weights being trained. */
  readonly newLogProbs: Numbers;
  /** [R] under the weights that shall not be left behind. */
  readonly baseLogProbs: Numbers;
  /** [R] from `tokenWeights`; a token of weight 0 is passed over. */
  readonly weights: Numbers;
}

export interface ApproximateKl {
  /** Sum of the weighted estimates, in nats. */
  readonly loss: number;
  /** [R] before weighting; 0 where the weight is 0. */
  readonly perToken: Float64Array;
  /** [R] of `loss` with respect to the new log-probs. */
  readonly gradient: Float64Array;
}

/**
 * KL to a base policy, token by token. k1 = d; k2 = d^2 / 2; k3 = exp(-d) - 1 + d; low_var_kl is k3 cut to [-10, 10], with
 * gradient 0 where it is cut.
 * Source: J. Schulman, Approximating KL Divergence, 2020; slime.
 *
 * @throws LengthMismatchError
 */
export const approximateKl = ({ newLogProbs, baseLogProbs, weights }: KlBatch, kind: KlKind): ApproximateKl => {
  requireSameLength({ newLogProbs, baseLogProbs, weights });
  const perToken = new Float64Array(newLogProbs.length);
  const gradient = new Float64Array(newLogProbs.length);
  for (let i = 0; i < perToken.length; i += 1) {
    const weight = weights[i] as number;
    if (weight === 0) continue;
    const difference = (newLogProbs[i] as number) - (baseLogProbs[i] as number);
    perToken[i] = estimateKl(difference, kind);
    gradient[i] = weight * slopeOf(difference, kind);
  }
  return { loss: weightedSum(perToken, weights), perToken, gradient };
};

/** expm1 keeps the digits where both policies agree. The exponential outruns what is added to it, also at infinity. */
const k3 = (difference: number): number => (difference === -Infinity ? Infinity : Math.expm1(-difference) + difference);

const estimateKl = (difference: number, kind: KlKind): number => {
  switch (kind) {
    case 'k1':
      return difference;
    case 'k2':
      return (difference * difference) / 2;
    case 'k3':
      return k3(difference);
    case 'low_var_kl':
      return Math.max(-LARGEST, Math.min(LARGEST, k3(difference)));
  }
};

const slopeOf = (difference: number, kind: KlKind): number => {
  switch (kind) {
    case 'k1':
      return 1;
    case 'k2':
      return difference;
    case 'k3':
      return -Math.expm1(-difference);
    case 'low_var_kl':
      return Math.abs(k3(difference)) > LARGEST ? 0 : -Math.expm1(-difference);
  }
};
