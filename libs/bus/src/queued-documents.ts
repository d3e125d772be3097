import type { Documents, Listed, Stored } from './document';
import { KeyedQueue } from './keyed-queue';

/** What is asked of a bucket's documents. */
export type DocumentStore<Value> = Pick<Documents<Value>, 'get' | 'recall' | 'update' | 'list'>;

/**
 * Documents of a bucket that is opened at first use, so that the app starts without its server. Updates of one key wait
 * for one another inside this process: compare-and-set then loses races only against other replicas.
 */
export class QueuedDocuments<Value> implements DocumentStore<Value> {
  private readonly queue = new KeyedQueue();
  private ready: Documents<Value> | null = null;
  private opened: Promise<Documents<Value>> | null = null;

  constructor(private readonly open: () => Promise<Documents<Value>>) {}

  async get(key: string): Promise<Stored<Value> | null> {
    return (await this.documents()).get(key);
  }

  recall(key: string): Value | null {
    return this.ready?.recall(key) ?? null;
  }

  async update<Result>(
    key: string,
    change: (current: Value | null, revision: number) => { next: Value | null; result: Result },
  ): Promise<Result> {
    const documents = await this.documents();
    return this.queue.run(key, () => documents.update(key, change));
  }

  async list(filter: string, after?: number): Promise<readonly Listed[]> {
    return (await this.documents()).list(filter, after);
  }

  private documents(): Promise<Documents<Value>> {
    this.opened ??= this.open().then(
      (documents) => (this.ready = documents),
      (error: unknown) => {
        this.opened = null;
        throw error;
      },
    );
    return this.opened;
  }
}
