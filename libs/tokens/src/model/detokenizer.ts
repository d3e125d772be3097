import type { Vocabulary } from './vocabulary';

export interface DetokenizerOptions {
  /** Added tokens that are shown although they are special: the marks of a dialect. */
  readonly shown: readonly string[];
  /** Ids that are never shown: a request's own stop tokens. */
  readonly hiddenIds?: readonly number[];
}

/** Turns token ids into text as they come. Half a character waits for its rest; bytes that are no text become U+FFFD. */
export class Detokenizer {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private readonly shown: ReadonlySet<string>;
  private readonly hiddenIds: ReadonlySet<number>;

  constructor(
    private readonly vocabulary: Vocabulary,
    { shown, hiddenIds = [] }: DetokenizerOptions,
  ) {
    this.shown = new Set(shown);
    this.hiddenIds = new Set(hiddenIds);
  }

  push(ids: readonly number[]): string {
    let text = '';
    for (const id of ids) {
      if (!this.isHidden(id)) text += this.decoder.decode(this.vocabulary.bytesOf(id), { stream: true });
    }
    return text;
  }

  /** What is left when the answer ends. */
  end(): string {
    return this.decoder.decode();
  }

  private isHidden(id: number): boolean {
    if (this.hiddenIds.has(id)) return true;
    const added = this.vocabulary.addedOf(id);
    return added !== null && added.special && !this.shown.has(added.content);
  }
}
