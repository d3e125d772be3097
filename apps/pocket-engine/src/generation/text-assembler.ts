import { Detokenizer, type Vocabulary } from '@app/tokens';

export interface TextOptions {
  /** Special tokens that are shown. */
  readonly shown: readonly string[];
  /** Texts that end the generation. They are cut off unless `keepStop`. */
  readonly stop: readonly string[];
  readonly keepStop: boolean;
}

/** Length of the end of the text that could be the beginning of a stop text. */
const heldBack = (text: string, stop: readonly string[]): number => {
  const longest = Math.max(0, ...stop.map((each) => each.length - 1));
  for (let length = Math.min(longest, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (stop.some((each) => each.length > length && each.startsWith(end))) return length;
  }
  return 0;
};

/** Turns tokens into text that is certain: whole characters, and no beginning of a stop text. */
export class TextAssembler {
  private readonly detokenizer: Detokenizer;
  private pending = '';

  constructor(
    vocabulary: Vocabulary,
    private readonly options: TextOptions,
  ) {
    this.detokenizer = new Detokenizer(vocabulary, { shown: options.shown });
  }

  /** @returns text, and the stop text that was found */
  push(id: number): { readonly text: string; readonly stopped: string | null } {
    const { stop, keepStop } = this.options;
    this.pending += this.detokenizer.push([id]);
    const found = stop
      .map((text) => ({ text, at: this.pending.indexOf(text) }))
      .filter(({ at }) => at >= 0)
      .sort((a, b) => a.at - b.at)[0];
    if (found !== undefined) {
      const text = this.pending.slice(0, found.at + (keepStop ? found.text.length : 0));
      this.pending = '';
      return { text, stopped: found.text };
    }
    const certain = this.pending.length - heldBack(this.pending, stop);
    const text = this.pending.slice(0, certain);
    this.pending = this.pending.slice(certain);
    return { text, stopped: null };
  }

  /** What was held back. */
  end(): string {
    const text = this.pending + this.detokenizer.end();
    this.pending = '';
    return text;
  }
}
