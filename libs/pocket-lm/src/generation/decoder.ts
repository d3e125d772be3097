import { runForward, type SequenceCache, type Span } from '../model/forward';
import type { Machine } from '../model/machine';
import { SequenceError } from '../model/score';

/** A sequence that grows: its place in the cache and what it holds so far. */
export interface Stream {
  readonly slot: number;
  /** Tokens that are in the cache. */
  length: number;
}

/** Thrown when all places of the cache are taken. */
export class NoFreeSlotError extends Error {
  override readonly name = 'NoFreeSlotError';

  constructor(slots: number) {
    super(`pocket model: all ${slots} streams are taken; close one first`);
  }
}

/** Keys and values of up to `slots` sequences, and batched steps that make them longer. */
export class Decoder {
  private readonly caches: readonly SequenceCache[];
  private readonly free: number[];

  /** @param slots sequences at a time; each takes 2 * layers * context * width numbers, touched only as it grows */
  constructor(
    private readonly machine: Machine,
    slots: number,
  ) {
    const { config, arena } = machine;
    const room = (): number[] =>
      Array.from({ length: config.layers }, () => arena.allocate(config.context * config.width));
    this.caches = Array.from({ length: slots }, () => ({ keys: room(), values: room() }));
    this.free = this.caches.map((_, slot) => slot);
  }

  /** @throws NoFreeSlotError */
  open(): Stream {
    const slot = this.free.pop();
    if (slot === undefined) throw new NoFreeSlotError(this.caches.length);
    return { slot, length: 0 };
  }

  close({ slot }: Stream): void {
    this.free.push(slot);
  }

  get freeSlots(): number {
    return this.free.length;
  }

  /**
   * Puts tokens behind each stream: a whole prompt, or the token just sampled.
   * @returns for each stream the logits of what follows its last token
   * @throws SequenceError for a stream that would outgrow the context
   */
  extend(additions: readonly { readonly stream: Stream; readonly ids: readonly number[] }[]): Float32Array[] {
    const { arena, config, parameters } = this.machine;
    const { width, vocabularySize, context } = config;
    const spans: Span[] = [];
    let rows = 0;
    for (const { stream, ids } of additions) {
      if (ids.length === 0 || stream.length + ids.length > context) {
        throw new SequenceError(`${ids.length} tokens do not fit behind ${stream.length} in a context of ${context}`);
      }
      spans.push({ start: rows, rows: ids.length, first: stream.length, cache: this.caches[stream.slot] ?? null });
      rows += ids.length;
    }
    return arena.scope(() => {
      const ids = arena.allocateIntegers(additions.flatMap((addition) => addition.ids));
      const { hidden } = runForward(this.machine, { ids, rows, spans }, false);
      const last = arena.allocateIntegers(spans.map((span) => span.start + span.rows - 1));
      const chosen = arena.allocate(spans.length * width);
      arena.kernels.gatherRows(hidden, last, chosen, spans.length, width);
      const logits = arena.allocate(spans.length * vocabularySize);
      arena.kernels.matmul(chosen, parameters.unembedding, logits, spans.length, width, vocabularySize, false);
      const values = arena.floats(logits, spans.length * vocabularySize);
      for (const { stream, ids: added } of additions) stream.length += added.length;
      return additions.map((_, at) => values.slice(at * vocabularySize, (at + 1) * vocabularySize));
    });
  }
}
