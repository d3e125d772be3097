import { firstMarker, heldBackLength } from './held-back';
import { isHidden, tokenBytes } from './tokenizer';

export interface TextAssemblerOptions {
  skipSpecialTokens: boolean;
  /** Texts that end the generation. They are cut off unless `keepStop`. */
  stop: readonly string[];
  keepStop: boolean;
}

export interface TextPiece {
  /** Text that is certain now: whole characters, and no beginning of a stop text. */
  text: string;
  /** The stop text that was found. */
  stopped?: string;
}

/** Turns token ids into text, token by token. */
export class TextAssembler {
  private readonly decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  private pending = '';

  constructor(private readonly options: TextAssemblerOptions) {}

  push(id: number): TextPiece {
    if (this.options.skipSpecialTokens && isHidden(id)) return { text: '' };
    this.pending += this.decoder.decode(tokenBytes(id), { stream: true });
    const found = firstMarker(this.pending, this.options.stop);
    if (found) {
      const text = this.pending.slice(0, found.at + (this.options.keepStop ? found.marker.length : 0));
      this.pending = '';
      return { text, stopped: found.marker };
    }
    const certain = this.pending.length - heldBackLength(this.pending, this.options.stop);
    const text = this.pending.slice(0, certain);
    this.pending = this.pending.slice(certain);
    return { text };
  }

  /** What was held back; half a character becomes U+FFFD. */
  end(): string {
    const text = this.pending + this.decoder.decode();
    this.pending = '';
    return text;
  }
}
