import { JetStreamApiError, type JsMsg } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import { BusUnavailableError, ContentionError } from './errors';

const WRONG_LAST_SEQUENCE = 10071;
const MAX_TRIES = 12;
/** On what the client stores in place of a deleted document. */
const MARKER_HEADER = 'KV-Operation';

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

/** Where a document is and when it was last written, without its value. */
export interface Listed {
  readonly key: string;
  readonly revision: number;
  /** Server's clock, milliseconds since 1970. */
  readonly writtenAt: number;
}

const isLostRace = (error: unknown): boolean =>
  error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE;

/** JSON documents of one bucket, changed by compare-and-set only. */
export class Documents<Value> {
  constructor(
    private readonly bucket: KV,
    private readonly parse: (value: unknown) => Value,
    /** The bucket's messages whose keys match a filter, without bodies. The client's own listing waits for a heartbeat, half a minute, if one of them is written while it reads. */
    private readonly scan: (filter: string) => AsyncIterable<JsMsg>,
  ) {}

  /** @throws BusUnavailableError */
  async get(key: string): Promise<Stored<Value> | null> {
    const entry = await this.entry(key);
    if (entry?.operation !== 'PUT') return null;
    return { value: this.parse(entry.json()), revision: entry.revision, writtenAt: entry.created.getTime() };
  }

  /**
   * Reads, applies a pure function and writes if nobody else has written meanwhile; else tries again.
   * `change` gets the value and its revision (0: never written) and may be called several times.
   * A change that returns null leaves the document as it is.
   * @throws BusUnavailableError, ContentionError after a dozen lost races.
   */
  async update<Result>(
    key: string,
    change: (current: Value | null, revision: number) => { next: Value | null; result: Result },
  ): Promise<Result> {
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const entry = await this.entry(key);
      const revision = entry?.revision ?? 0;
      const { next, result } = change(entry?.operation === 'PUT' ? this.parse(entry.json()) : null, revision);
      if (next === null) return result;
      try {
        await this.bucket.put(key, JSON.stringify(next), { previousSeq: revision });
        return result;
      } catch (error) {
        if (!isLostRace(error)) throw new BusUnavailableError(`writing document ${key} failed`, { cause: error });
        await pause(jitter(2 * (attempt + 1)));
      }
    }
    throw new ContentionError(`document ${key} changed ${MAX_TRIES} times while it was being updated`);
  }

  /**
   * Every document whose key matches `filter` (`*` stands for one token), without values, in no order. One that is written
   * meanwhile may be missing.
   * @throws BusUnavailableError
   */
  async list(filter: string): Promise<readonly Listed[]> {
    const listed = new Map<string, Listed>();
    try {
      for await (const message of this.scan(filter)) {
        // $KV.<bucket>.<key>
        const key = message.subject.split('.').slice(2).join('.');
        // A document may come twice if it is written meanwhile; one that was deleted left a marker.
        if (message.headers?.has(MARKER_HEADER)) listed.delete(key);
        else listed.set(key, { key, revision: message.seq, writtenAt: message.time.getTime() });
      }
    } catch (cause) {
      throw new BusUnavailableError(`listing documents ${filter} failed`, { cause });
    }
    return [...listed.values()];
  }

  private async entry(key: string): Promise<KvEntry | null> {
    try {
      return await this.bucket.get(key);
    } catch (cause) {
      throw new BusUnavailableError(`reading document ${key} failed`, { cause });
    }
  }
}
