import { LRUCache } from 'lru-cache';
import type { PromptSource } from './chat-template';
import type { EncodedPart, PartSource } from './encoded-part';
import { PartNames } from './part-names';
import { partsOf, wholeOf, type Grouping, type PartRequest } from './part-request';
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
  private readonly names = new PartNames();
  /** When they were made: templates may print the date. */
  private day = '';

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
    this.forgetYesterday();
    const requests = partsOf(prompt, this.grouping === undefined ? await this.learn() : this.grouping);
    if (requests.length > 1) {
      // What is new stands at the end: others work on it while the rest, all that came before, is named and found here.
      const parts = await Promise.all(requests.reverse().map((request) => this.part(request)));
      if (parts.every((part) => part !== null)) return parts.reverse();
    }
    const [whole] = await this.source.parts([JSON.stringify(wholeOf(prompt))]);
    if (whole == null) throw new RenderError('the prompt was not rendered');
    return [whole];
  }

  private forgetYesterday(): void {
    const today = new Date().toDateString();
    if (today !== this.day) this.kept.clear();
    this.day = today;
  }

  private async learn(): Promise<Grouping | null> {
    this.grouping = await this.source.grouping;
    return this.grouping;
  }

  /** Others that want the same part wait for the same. */
  private async part(request: PartRequest): Promise<EncodedPart | null> {
    const name = this.names.of(request);
    return this.kept.get(name) ?? (await (this.coming.get(name) ?? this.ask(name, request)));
  }

  private ask(name: string, request: PartRequest): Promise<EncodedPart | null> {
    const { day } = this;
    const part = this.source.parts([JSON.stringify(request)]).then(([made = null]) => {
      if (made !== null && day === this.day) this.kept.set(name, made);
      return made;
    });
    this.coming.set(name, part);
    part.finally(() => this.coming.delete(name)).catch(() => undefined);
    return part;
  }
}
