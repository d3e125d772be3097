import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { ContentionError } from './errors';

const WRONG_LAST_SEQUENCE = 10071;
const MAX_TRIES = 12;

/** A random pause in milliseconds, between half and one and a half times `baseMs`. */
export const jitter = (baseMs: number): number => baseMs * (0.5 + Math.random());

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A stored value and the revision that a compare-and-set needs. */
export interface Stored<Value> {
  readonly value: Value;
  readonly revision: number;
  /** Server's clock, milliseconds since 1970: when it was written. */
  readonly writtenAt: number;
}

/** JSON documents of one bucket, changed by compare-and-set only. */
export class Documents<Value> {
  constructor(
    private readonly bucket: KV,
    private readonly parse: (value: unknown) => Value,
  ) {}

  async get(key: string): Promise<Stored<Value> | null> {
    const entry = await this.bucket.get(key);
    if (entry?.operation !== 'PUT') return null;
    return { value: this.parse(entry.json()), revision: entry.revision, writtenAt: entry.created.getTime() };
  }

  /**
   * Reads, applies a pure function and writes if nobody else has written meanwhile; else tries again.
   * `change` may be called several times. A change that returns null leaves the document as it is.
   * @throws ContentionError after a dozen lost races.
   */
  async update<Result>(
    key: string,
    change: (current: Value | null) => { next: Value | null; result: Result },
  ): Promise<Result> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const entry = await this.bucket.get(key);
      const stored = entry?.operation === 'PUT' ? this.parse(entry.json()) : null;
      const { next, result } = change(stored);
      if (next === null) return result;
      try {
        await this.bucket.put(key, JSON.stringify(next), { previousSeq: entry?.revision ?? 0 });
        return result;
      } catch (error) {
        if (!(error instanceof JetStreamApiError) || error.code !== WRONG_LAST_SEQUENCE) throw error;
        await pause(jitter(2 * (attempt + 1)));
      }
    }
    throw new ContentionError(`document ${key} changed ${MAX_TRIES} times while it was being updated`);
  }
}
