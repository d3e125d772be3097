import type { Random } from '../runtime/random';

export interface SamplingOptions {
  /** 0 takes the most likely token. */
  readonly temperature: number;
  /** The smallest set of tokens with at least this probability; 1 is all. */
  readonly topP: number;
  /** The most likely tokens; -1 is all. */
  readonly topK: number;
}

export interface SampledToken {
  readonly id: number;
  /** Under softmax(logits): before temperature, top-p and top-k. */
  readonly logProb: number;
}

/** Untempered log-probs, in float64. */
export const logSoftmax = (logits: Float32Array): Float64Array => {
  let most = -Infinity;
  for (const value of logits) if (value > most) most = value;
  let sum = 0;
  for (const value of logits) sum += Math.exp(value - most);
  const shift = most + Math.log(sum);
  return Float64Array.from(logits, (value) => value - shift);
};

/** The k most likely ids, most likely first; equal ones by id. */
export const topIds = (logProbs: Float64Array, k: number): number[] =>
  Array.from(logProbs.keys())
    .sort((a, b) => (logProbs[b] ?? 0) - (logProbs[a] ?? 0) || a - b)
    .slice(0, k);

const most = (logProbs: Float64Array): number => {
  let best = 0;
  for (let id = 1; id < logProbs.length; id += 1) if ((logProbs[id] ?? 0) > (logProbs[best] ?? 0)) best = id;
  return best;
};

/** Ids that may be drawn, and their shares at this temperature. Top-k cuts first, then top-p, as SGLang does it. */
const candidatesOf = (
  logProbs: Float64Array,
  { temperature, topP, topK }: SamplingOptions,
): { ids: ArrayLike<number>; shares: Float64Array } => {
  const all = topP >= 1 && (topK < 1 || topK >= logProbs.length);
  const ids = all ? Uint32Array.from(logProbs.keys()) : topIds(logProbs, topK < 1 ? logProbs.length : topK);
  const peak = all ? (logProbs[most(logProbs)] ?? 0) : (logProbs[ids[0] ?? 0] ?? 0);
  const shares = Float64Array.from(ids, (id) => Math.exp(((logProbs[id] ?? 0) - peak) / temperature));
  if (topP >= 1) return { ids, shares };
  const total = shares.reduce((sum, share) => sum + share, 0);
  let count = 0;
  for (let sum = 0; count < shares.length && sum < topP * total; count += 1) sum += shares[count] ?? 0;
  return { ids, shares: shares.subarray(0, Math.max(1, count)) };
};

/** Draws one token. */
export const sampleToken = (logits: Float32Array, options: SamplingOptions, random: Random): SampledToken => {
  const logProbs = logSoftmax(logits);
  const pick = (id: number): SampledToken => ({ id, logProb: logProbs[id] ?? 0 });
  if (options.temperature === 0) return pick(most(logProbs));
  const { ids, shares } = candidatesOf(logProbs, options);
  let rest = random() * shares.reduce((sum, share) => sum + share, 0);
  for (let at = 0; at < shares.length; at += 1) {
    rest -= shares[at] ?? 0;
    if (rest < 0) return pick(ids[at] ?? 0);
  }
  return pick(ids[shares.length - 1] ?? 0);
};
