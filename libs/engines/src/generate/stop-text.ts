import { firstMark, openLength } from '@app/chat';

/** Cuts an answer off at the text that ends it, as an engine does, wherever the pieces are cut. */
export class StopText {
  private pending = '';
  private stopped = false;

  constructor(private readonly stops: readonly string[]) {}

  push(text: string): string {
    if (this.stops.length === 0) return text;
    if (this.stopped) return '';
    this.pending += text;
    const found = firstMark(this.pending, this.stops);
    this.stopped = found !== null;
    const certain = found?.at ?? this.pending.length - openLength(this.pending, this.stops);
    const shown = this.pending.slice(0, certain);
    this.pending = this.stopped ? '' : this.pending.slice(certain);
    return shown;
  }

  /** What was held back. */
  end(): string {
    const rest = this.pending;
    this.pending = '';
    return rest;
  }
}
