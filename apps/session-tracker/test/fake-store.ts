import type { Bus, DocumentStore, Listed, PublishResult, Stored } from '@app/bus';
import type { EncodedMessage } from '@app/contracts';

/** Thrown in the middle of things: the process is gone, its message comes again. */
export class CrashError extends Error {
  override readonly name = 'CrashError';
  readonly retryable = true;
}

/** What a whole NATS is to the tracker: guarded messages and documents. Every operation is a chance to crash. */
export class FakeStore {
  readonly messages = new Map<string, EncodedMessage>();
  readonly documents = new Map<string, { json: string; revision: number; writtenAt: number }>();
  now = 1_000_000;
  /** Operations to come before a crash; 0: none. */
  crashIn = 0;
  /** Keys that lists leave out, as one does whose copy of the bucket is behind. */
  readonly unlisted = new Set<string>();
  private revision = 0;

  async operation(): Promise<void> {
    await Promise.resolve();
    if (this.crashIn > 0 && --this.crashIn === 0) throw new CrashError('killed');
  }

  bus(): Pick<Bus, 'publish' | 'read'> {
    return {
      publish: async (definition, tokens, { info, head, arrays }): Promise<PublishResult> => {
        await this.operation();
        const message = definition.encode(tokens, info, head, { arrays });
        const isTaken = this.messages.has(message.subject);
        if (!isTaken) this.messages.set(message.subject, message);
        await this.operation();
        return isTaken ? 'exists' : 'stored';
      },
      read: async (definition, ...tokens) => {
        await this.operation();
        const message = this.messages.get(definition.subject(...tokens));
        return message === undefined ? null : definition.decode(message);
      },
    };
  }

  documentsOf<Value>(prefix: string): DocumentStore<Value> {
    const get = async (key: string): Promise<Stored<Value> | null> => {
      await this.operation();
      const stored = this.documents.get(`${prefix}${key}`);
      return stored === undefined ? null : { ...stored, value: JSON.parse(stored.json) as Value };
    };
    return {
      get,
      recall: () => null,
      update: async (key, change) => {
        for (;;) {
          const before = await get(key);
          const { next, result } = change(before?.value ?? null, before?.revision ?? 0);
          if (next === null) return result;
          await this.operation();
          if ((this.documents.get(`${prefix}${key}`)?.revision ?? 0) !== (before?.revision ?? 0)) continue;
          this.documents.set(`${prefix}${key}`, {
            json: JSON.stringify(next),
            revision: ++this.revision,
            writtenAt: this.now,
          });
          await this.operation();
          return result;
        }
      },
      list: async (_filter, after): Promise<readonly Listed[]> => {
        await this.operation();
        return [...this.documents]
          .filter(([key]) => !this.unlisted.has(key))
          .filter(([key, { revision }]) => key.startsWith(`${prefix}session.`) && revision > (after ?? 0))
          .map(([key, { revision, writtenAt }]) => ({ key: key.slice(prefix.length), revision, writtenAt }));
      },
    };
  }
}
