import { LRUCache } from 'lru-cache';
import type { PartRequest } from './part-request';

/** Characters from which on a text is looked up: to find it costs a comparison, to print it several times as much. */
const LONG = 1024;
const MOST_KEPT_CHARACTERS = 64_000_000;

/** Short names of parts: long texts, as the system text that stands in every request of an agent, go by numbers. */
export class PartNames {
  private readonly numbers = new LRUCache<string, number>({
    maxSize: MOST_KEPT_CHARACTERS,
    sizeCalculation: (_, text) => text.length,
  });
  private texts = 0;

  /** The same for the same part, and for no other one. A text that was forgotten has another name from then on. */
  of(request: PartRequest): string {
    const long: [message: number, text: number][] = [];
    const messages = request.messages.map((message, i) => {
      const { content } = message;
      if (typeof content !== 'string' || content.length < LONG) return message;
      long.push([i, this.numberOf(content)]);
      return { ...message, content: null };
    });
    // A list where it holds numbers: no part without long texts is called so.
    return JSON.stringify(long.length === 0 ? request : [{ ...request, messages }, long]);
  }

  private numberOf(text: string): number {
    const known = this.numbers.get(text);
    if (known !== undefined) return known;
    this.texts += 1;
    this.numbers.set(text, this.texts);
    return this.texts;
  }
}
