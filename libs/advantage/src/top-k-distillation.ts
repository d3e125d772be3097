import { requireSameLength, type Numbers } from './numbers';
import { SoftmaxRows } from './softmax-rows';
import { weightedSum } from './token-weights';

/** Largest logarithm that the mass of K tokens may have, so that the rest keeps a probability of 1e-7. */
const LARGEST_LOG_MASS = -1e-7;

export interface TopKBatch {
  /** [R * V] of the policy being trained, one row per response token, the row that predicts it. */
  readonly logits: Numbers;
  /** V */
  readonly vocabulary: number;
  /** [R * K] log-probs of the teacher's likeliest tokens, K per response token. -infinity: that token is one of the rest. */
  readonly teacherLogProbs: Numbers;
  /** [R * K] their ids. */
  readonly teacherIds: Numbers;
  /** [R] from `tokenWeights`; 0 also where the teacher gave no K entries. A token of weight 0 is passed over. */
  readonly weights: Numbers;
}

export interface TopKLoss {
  /** Sum of the weighted divergences, in nats; to be minimised. */
  readonly loss: number;
  /** [R] before weighting; 0 where the weight is 0. */
  readonly perToken: Float64Array;
  /** [R * V] of `loss` with respect to the logits. */
  readonly gradient: Float64Array;
}

/** Thrown for a token id of the teacher that the policy's vocabulary does not have. */
export class TokenIdError extends Error {
  override readonly name = 'TokenIdError';
  readonly retryable = false;

  constructor(
    readonly id: number,
    readonly vocabulary: number,
  ) {
    super(`the teacher named token ${id}; the policy's vocabulary has ${vocabulary}`);
  }
}

/** log(1 - exp(x)) for x < 0, without losing the digits of a small rest. */
const logRest = (logMass: number): number => Math.log(-Math.expm1(logMass));

/**
 * Reverse KL(policy, teacher) over the teacher's K likeliest tokens and one bin for all others. The mass of the K tokens is
 * held below 1 - 1e-7 on either side, so that a teacher who is certain costs much and never infinitely much.
 *
 * With q the policy's bins and t the teacher's: sum q (log q - log t); the gradient of logit v is
 * p_v (c_v - sum over K of p c) with c = (log q - log t) - (log q_rest - log t_rest) for the K tokens and 0 for the rest.
 * Source: top-K distillation of OpenClaw-RL.
 *
 * @throws LengthMismatchError, LogitsShapeError, TokenIdError
 */
export const topKDistillation = (batch: TopKBatch): TopKLoss => {
  const { logits, vocabulary, teacherLogProbs, teacherIds, weights } = batch;
  requireSameLength({ teacherLogProbs, teacherIds });
  const tokens = weights.length;
  const k = tokens === 0 ? 0 : teacherIds.length / tokens;
  if (!Number.isInteger(k)) requireSameLength({ teacherIds, 'a multiple of weights': weights });
  const gradient = new Float64Array(logits.length);
  const rows = new SoftmaxRows(logits, { tokens, vocabulary }, gradient);
  const perToken = new Float64Array(tokens);
  /** c * p of the K tokens of the row in hand. */
  const slopes = new Float64Array(k);
  for (let t = 0; t < tokens; t += 1) {
    const weight = weights[t] as number;
    if (weight === 0) continue;
    rows.read(t);
    const start = t * vocabulary;
    const first = t * k;
    const logSum = rows.largest + Math.log(rows.sum);

    let policyMass = 0;
    let teacherMass = 0;
    for (let j = first; j < first + k; j += 1) {
      const id = teacherIds[j] as number;
      if (!(id >= 0 && id < vocabulary)) throw new TokenIdError(id, vocabulary);
      if (teacherLogProbs[j] === -Infinity) continue;
      policyMass += gradient[start + id] as number;
      teacherMass += Math.exp(teacherLogProbs[j] as number);
    }
    const logPolicyMass = Math.log(policyMass / rows.sum);
    const isCut = logPolicyMass > LARGEST_LOG_MASS;
    const logPolicyRest = logRest(isCut ? LARGEST_LOG_MASS : logPolicyMass);
    const logTeacherRest = logRest(Math.min(Math.log(teacherMass), LARGEST_LOG_MASS));
    const restGap = logPolicyRest - logTeacherRest;

    let divergence = Math.exp(logPolicyRest) * restGap;
    let slope = 0;
    for (let j = 0; j < k; j += 1) {
      const logTeacher = teacherLogProbs[first + j] as number;
      const place = start + (teacherIds[first + j] as number);
      const p = (gradient[place] as number) / rows.sum;
      slopes[j] = 0;
      if (p === 0 || logTeacher === -Infinity) continue;
      const gap = (logits[place] as number) - logSum - logTeacher;
      divergence += p * gap;
      // Where the mass was cut, the rest is a constant and does not move with the logits.
      slopes[j] = p * (isCut ? gap + 1 : gap - restGap);
      slope += slopes[j] as number;
    }
    const scale = (-weight * slope) / rows.sum;
    for (let i = start; i < start + vocabulary; i += 1) gradient[i] = scale * (gradient[i] as number);
    for (let j = 0; j < k; j += 1) {
      const place = start + (teacherIds[first + j] as number);
      gradient[place] = (gradient[place] as number) + weight * (slopes[j] as number);
    }
    perToken[t] = divergence;
  }
  return { loss: weightedSum(perToken, weights), perToken, gradient };
};
