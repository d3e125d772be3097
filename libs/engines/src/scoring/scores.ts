/** What is asked of an engine that scores given tokens. */
export interface ScoreRequest {
  /** Prompt, then response. [P + R], P >= 1 */
  readonly ids: Int32Array;
  /** R */
  readonly responseLength: number;
  /** K, likeliest tokens that are wanted at each response position; 0: none. */
  readonly topK: number;
}

/** The likeliest tokens at each response position. */
export interface TopScores {
  readonly k: number;
  /** [R * K] likeliest first; 0 where `present` is 0. */
  readonly logProbs: Float64Array;
  /** [R * K] */
  readonly ids: Int32Array;
  /** [R] 0 where the engine gave no K entries: that position is marked, not filled. */
  readonly present: Uint8Array;
}

/** Log-probs of the response's tokens, natural logarithm, at temperature 1. */
export interface Scores {
  /** [R] */
  readonly logProbs: Float64Array;
  readonly top: TopScores | null;
}

/** Thrown when an engine's scores are not whole: nothing is padded, cut or filled in. */
export class IncompleteScoresError extends Error {
  override readonly name = 'IncompleteScoresError';
  readonly retryable = false;

  constructor(detail: string) {
    super(`the engine's scores are incomplete: ${detail}`);
  }
}

/** As far above 0 as single precision rounds the logarithm of a certain token. */
const SLACK = 1e-4;

/** A log-prob that can be computed with; null for anything else. */
export const logProbOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) && value <= SLACK ? value : null;

/**
 * Puts scores together position by position, and checks each id against the one that was sent.
 *
 * @param entryOf log-prob and id of the token at a place in `ids`
 * @throws IncompleteScoresError
 */
export const collectLogProbs = (
  { ids, responseLength }: ScoreRequest,
  entryOf: (place: number) => { readonly logProb: unknown; readonly id: unknown },
): Float64Array => {
  const first = ids.length - responseLength;
  return Float64Array.from({ length: responseLength }, (_, i) => {
    const { logProb, id } = entryOf(first + i);
    if (id !== ids[first + i]) {
      throw new IncompleteScoresError(`token ${i} of the response is ${ids[first + i]}, the score is of ${String(id)}`);
    }
    const value = logProbOrNull(logProb);
    if (value === null) throw new IncompleteScoresError(`token ${i} of the response has log-prob ${String(logProb)}`);
    return value;
  });
};

/** @param entriesOf what the engine says of a place in `ids`, likeliest first: log-prob and id */
export const collectTop = (
  { ids, responseLength, topK }: ScoreRequest,
  entriesOf: (place: number) => readonly { readonly logProb: unknown; readonly id: unknown }[],
): TopScores | null => {
  if (topK === 0) return null;
  const logProbs = new Float64Array(responseLength * topK);
  const topIds = new Int32Array(responseLength * topK);
  const present = new Uint8Array(responseLength);
  for (let i = 0; i < responseLength; i += 1) {
    const entries = entriesOf(ids.length - responseLength + i).slice(0, topK);
    const values = entries.map(({ logProb }) => logProbOrNull(logProb));
    const whole = values.every((value) => value !== null) && entries.every(({ id }) => Number.isSafeInteger(id));
    if (!whole || entries.length < topK) continue;
    logProbs.set(values, i * topK);
    topIds.set(
      entries.map(({ id }) => id as number),
      i * topK,
    );
    present[i] = 1;
  }
  return { k: topK, logProbs, ids: topIds, present };
};
