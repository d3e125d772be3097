import { LRUCache } from 'lru-cache';
import type { PromptSource } from './chat-template';
import type { EncodedPart, PartSource } from './encoded-part';
import { partsOf, wholeOf, type Grouping } from './part-request';
import { RenderError } from './render-error';

/** Ids that are kept of parts: the same system text and tools stand in every request of an agent. */
const MOST_KEPT_IDS = 4_000_000;

/** Keeps the parts that prompts are made of: one that comes again costs a look-up, however long it is. */
export class PartCache {
  private readonly kept = new LRUCache<string, EncodedPart>({
    maxSize: MOST_KEPT_IDS,
    sizeCalculation: ({ ids }) => ids.length + 1,
  });
  private readonly coming = new Map<string, Promise<EncodedPart | null>>();

  /** undefined until the source has said it. */
  private grouping: Grouping | null | undefined;

  constructor(private readonly source: PartSource) {
    void this.learn().catch(() => undefined);
  }

  /**
   * A prompt's parts, in order; what is missing is asked for before this returns.
   * Rejects as the source does, or with an InvalidContentError.
   */
  async of(prompt: PromptSource): Promise<readonly EncodedPart[]> {
    const requests = partsOf(prompt, this.grouping === undefined ? await this.learn() : this.grouping);
    if (requests.length > 1) {
      const parts = await this.named(requests.map((request) => JSON.stringify(request)));
      if (parts.every((part) => part !== null)) return parts;
    }
    const [whole] = await this.source.parts([JSON.stringify(wholeOf(prompt))]);
    if (whole == null) throw new RenderError('the prompt was not rendered');
    return [whole];
  }

  private async learn(): Promise<Grouping | null> {
    this.grouping = await this.source.grouping;
    return this.grouping;
  }

  private named(names: readonly string[]): Promise<readonly (EncodedPart | null)[]> {
    const missing = names.filter((name) => !this.kept.has(name) && !this.coming.has(name));
    if (missing.length > 0) this.ask(missing);
    return Promise.all(names.map(async (name) => this.kept.get(name) ?? (await this.coming.get(name)) ?? null));
  }

  /** All that is missing in one go; others that want the same wait for the same. */
  private ask(names: readonly string[]): void {
    const answer = this.source.parts(names);
    names.forEach((name, i) => {
      const part = answer.then((parts) => {
        const made = parts[i] ?? null;
        if (made !== null) this.kept.set(name, made);
        return made;
      });
      this.coming.set(name, part);
      part.finally(() => this.coming.delete(name)).catch(() => undefined);
    });
  }
}
