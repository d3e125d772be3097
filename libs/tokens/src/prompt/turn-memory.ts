import { LRUCache } from 'lru-cache';
import { startsWith, type Drift } from './prompt-memory';

/** Ids that are kept of turns: a thousand long ones. */
const MOST_KEPT_IDS = 32_000_000;

const cacheOfIds = (): LRUCache<string, Int32Array> =>
  new LRUCache({ maxSize: MOST_KEPT_IDS, sizeCalculation: (ids) => ids.length + 1 });

/** Remembers the tokens of turns by their chain hash, to say how the prompts that follow stand to them. */
export class TurnMemory {
  private readonly open = cacheOfIds();
  private readonly known = cacheOfIds();

  /** Notes a prompt that is about to be answered. */
  begin(turnId: string, promptIds: Int32Array): void {
    this.open.set(turnId, promptIds);
  }

  /** How a prompt stands to the turn with this chain. */
  compare(chain: string | null, promptIds: Int32Array): Drift {
    const before = chain === null ? undefined : this.known.get(chain);
    if (before === undefined) return 'new';
    return startsWith(promptIds, before) ? 'clean' : 'forked';
  }

  /** Notes what was answered, under the chain hash that the next request will show. */
  remember(turnId: string, chain: string, responseIds: readonly number[]): void {
    const promptIds = this.open.get(turnId);
    if (promptIds === undefined) return;
    this.open.delete(turnId);
    const ids = new Int32Array(promptIds.length + responseIds.length);
    ids.set(promptIds);
    ids.set(responseIds, promptIds.length);
    this.known.set(chain, ids);
  }

  /** Forgets a prompt whose answer does not count. */
  forget(turnId: string): void {
    this.open.delete(turnId);
  }
}
