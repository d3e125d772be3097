import { SPECIAL, tokenBytes, VOCABULARY_SIZE } from './tokenizer';

// Taken out of `Math` once: in Jest's sandbox every look at a global is slow, and this is the innermost loop.
const { exp, imul, log } = Math;

/** How many tokens of context the model looks at. */
const CONTEXT = 3;

/** FNV-1a over the version's characters. */
function hashText(text: string): number {
  let hash = 0x811c9dc5;
  for (const char of text) hash = imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Avalanche of a 32-bit number (finaliser of MurmurHash3). */
function mix(value: number): number {
  let hash = imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A number in [0, 1) that depends on `seed` and `index` only. */
export const uniform = (seed: number, index: number): number => mix(seed ^ mix(index + 0x9e3779b9)) / 2 ** 32;

export const seedOf = (...parts: readonly (string | number)[]): number =>
  parts.reduce<number>((seed, part) => mix(seed ^ (typeof part === 'string' ? hashText(part) : part + 1)), 0x1234);

const isReadable = (id: number): boolean => tokenBytes(id).every((byte) => byte >= 32 && byte < 127);

/** Constant part of the logits: readable text is likely, other special tokens are not, an answer ends after some 40 tokens. */
const BIAS = Float64Array.from({ length: VOCABULARY_SIZE }, (_, id) => {
  if (id === SPECIAL.imEnd) return 5;
  if (id === SPECIAL.endOfText || id >= SPECIAL.imStart) return -20;
  return isReadable(id) ? 2 : -8;
});

// Plain loops: this runs for every token, and callbacks on typed arrays cost several times as much.
function logSoftmax(logits: Float64Array): Float64Array {
  let max = -Infinity;
  for (const logit of logits) if (logit > max) max = logit;
  let sum = 0;
  for (const logit of logits) sum += exp(logit - max);
  const logSum = max + log(sum);
  for (let id = 0; id < logits.length; id++) logits[id]! -= logSum;
  return logits;
}

/**
 * Log-probs over the vocabulary for the token after `context`: a pure function of the weight version and the last three
 * ids, so that scoring a text gives exactly what generating it gave. At a temperature other than 1 the logits are divided
 * by it first.
 */
export function nextLogProbs(version: string, context: readonly number[], temperature = 1): Float64Array {
  const seed = seedOf(version, ...context.slice(-CONTEXT));
  const logits = new Float64Array(VOCABULARY_SIZE);
  for (let id = 0; id < VOCABULARY_SIZE; id++) logits[id] = (BIAS[id]! + 4 * uniform(seed, id)) / temperature;
  return logSoftmax(logits);
}

export interface Candidate {
  id: number;
  logProb: number;
}

/** The `count` likeliest tokens, likeliest first. */
export function topTokens(logProbs: Float64Array, count: number): Candidate[] {
  if (count === 0) return [];
  return Array.from(logProbs, (logProb, id) => ({ id, logProb }))
    .sort((a, b) => b.logProb - a.logProb)
    .slice(0, count);
}

export interface SamplingLimits {
  /** Cumulative probability that is kept. */
  topP: number;
  /** Number of tokens that are kept; -1 keeps all. */
  topK: number;
  /** A number in [0, 1) that decides. */
  draw: number;
}

function keepLikely(logProbs: Float64Array, topP: number, topK: number): Candidate[] {
  if (topK <= 0 && topP >= 1) return Array.from(logProbs, (logProb, id) => ({ id, logProb }));
  const ranked = topTokens(logProbs, topK > 0 ? topK : logProbs.length);
  let mass = 0;
  const last = ranked.findIndex(({ logProb }) => (mass += exp(logProb)) >= topP);
  return last < 0 ? ranked : ranked.slice(0, last + 1);
}

/** Draws a token. The draw is a value, so the same draw gives the same token. */
export function sampleToken(logProbs: Float64Array, { topP, topK, draw }: SamplingLimits): number {
  const kept = keepLikely(logProbs, topP, topK);
  const mass = kept.reduce((sum, { logProb }) => sum + exp(logProb), 0);
  let below = 0;
  const drawn = kept.find(({ logProb }) => (below += exp(logProb)) > draw * mass);
  return (drawn ?? kept[0])?.id ?? SPECIAL.imEnd;
}
