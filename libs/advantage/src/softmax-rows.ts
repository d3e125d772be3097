import { exponential } from './exponential';
import type { Numbers } from './numbers';

/** Thrown when logits are not rows of the vocabulary's size, one per token. */
export class LogitsShapeError extends Error {
  override readonly name = 'LogitsShapeError';
  readonly retryable = false;

  constructor(logits: number, tokens: number, vocabulary: number) {
    super(
      `logits has ${logits} entries; ${tokens} tokens and a vocabulary of ${vocabulary} make ${tokens * vocabulary}`,
    );
  }
}

/** Softmax of one row of logits after another, into a buffer of the same shape. Makes no object per row. */
export class SoftmaxRows {
  /** Of the row that was read last: its largest logit, and the sum of exp(logit - largest). */
  largest = 0;
  sum = 0;

  /** @throws LogitsShapeError */
  constructor(
    private readonly logits: Numbers,
    private readonly shape: { readonly tokens: number; readonly vocabulary: number },
    /** [R * V] exp(logit - largest) of the rows read so far. */
    readonly exponentials: Float64Array,
  ) {
    const { tokens, vocabulary } = shape;
    if (logits.length !== tokens * vocabulary) throw new LogitsShapeError(logits.length, tokens, vocabulary);
  }

  /** Reads a row. A logit of -infinity has probability 0; NaN makes the whole row NaN. */
  read(row: number): void {
    const { vocabulary } = this.shape;
    const start = row * vocabulary;
    const { logits, exponentials } = this;
    let largest = -Infinity;
    for (let i = start; i < start + vocabulary; i += 1) {
      const logit = logits[i] as number;
      if (!(logit <= largest)) largest = logit;
    }
    let sum = 0;
    for (let i = start; i < start + vocabulary; i += 1) {
      const value = exponential((logits[i] as number) - largest);
      exponentials[i] = value;
      sum += value;
    }
    this.largest = largest;
    this.sum = sum;
  }
}
