import { requireSameLength, type Numbers } from './numbers';
import { weightedSum } from './token-weights';

export interface PolicyClip {
  /** The ratio is cut at 1 - low from below. */
  readonly low: number;
  /** The ratio is cut at 1 + high from above. */
  readonly high: number;
  /** Dual clip: a token of negative advantage A loses at most -dual * A. Over 1; null: no such bound. */
  readonly dual: number | null;
}

/** Thrown for a dual clip that would cut also what has not changed. */
export class DualClipError extends Error {
  override readonly name = 'DualClipError';
  readonly retryable = false;

  constructor(readonly dual: number) {
    super(`the dual clip is ${dual}; it must be over 1`);
  }
}

export interface PolicyBatch {
  /** [R] under the weights being trained. */
  readonly newLogProbs: Numbers;
  /** [R] as sampled, taken in the same way as the new ones. */
  readonly oldLogProbs: Numbers;
  /** [R] */
  readonly advantages: Numbers;
  /** [R] from `tokenWeights`; a token of weight 0 is passed over, whatever its numbers are. */
  readonly weights: Numbers;
}

export interface PolicyLoss {
  /** Sum of the weighted token losses; to be minimised. */
  readonly loss: number;
  /** [R] before weighting; 0 where the weight is 0. */
  readonly perToken: Float64Array;
  /** [R] 1 where the ratio's clip decided the loss; the dual clip does not count. */
  readonly clipped: Uint8Array;
  /** [R] of `loss` with respect to the new log-probs. 0 where a clip decided. */
  readonly gradient: Float64Array;
}

/**
 * PPO's clipped loss with bounds that may differ: max(-ratio A, -clip(ratio, 1 - low, 1 + high) A) with
 * ratio = exp(new - old). At one step per fresh batch the ratio is 1 and nothing is clipped; on stale batches it is.
 * A token of advantage 0 loses nothing and moves nothing, also where its ratio is infinite.
 * Source: PPO; asymmetric bounds of DAPO; dual clip of Ye et al., 2020.
 *
 * @throws LengthMismatchError, DualClipError
 */
export const policyLoss = (batch: PolicyBatch, { low, high, dual }: PolicyClip): PolicyLoss => {
  const { newLogProbs, oldLogProbs, advantages, weights } = batch;
  requireSameLength({ newLogProbs, oldLogProbs, advantages, weights });
  if (dual !== null && !(dual > 1)) throw new DualClipError(dual);
  const length = newLogProbs.length;
  const perToken = new Float64Array(length);
  const clipped = new Uint8Array(length);
  const gradient = new Float64Array(length);
  const bottom = 1 - low;
  const top = 1 + high;
  for (let i = 0; i < length; i += 1) {
    const weight = weights[i] as number;
    const advantage = advantages[i] as number;
    if (weight === 0 || advantage === 0) continue;
    const ratio = Math.exp((newLogProbs[i] as number) - (oldLogProbs[i] as number));
    // NaN fails every comparison below and goes through to the loss, where it can be seen.
    const isClipped = advantage > 0 ? ratio > top : ratio < bottom;
    let token = -advantage * (isClipped ? (advantage > 0 ? top : bottom) : ratio);
    let slope = isClipped ? 0 : token;
    if (dual !== null && advantage < 0 && token > -dual * advantage) {
      token = -dual * advantage;
      slope = 0;
    }
    perToken[i] = token;
    clipped[i] = isClipped ? 1 : 0;
    gradient[i] = weight * slope;
  }
  return { loss: weightedSum(perToken, weights), perToken, clipped, gradient };
};
