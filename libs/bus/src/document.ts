import { JetStreamApiError, type JsMsg } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import { LRUCache } from 'lru-cache';
import { BusUnavailableError, ContentionError } from './errors';

const WRONG_LAST_SEQUENCE = 10071;
const MAX_TRIES = 12;
/** On what the client stores in place of a deleted document. */
const MARKER_HEADER = 'KV-Operation';

/** Whether a bucket's message says that a document was deleted: it has a key and no value. */
export const isMarker = ({ headers }: Pick<JsMsg, 'headers'>): boolean => headers?.has(MARKER_HEADER) ?? false;

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

/** Where documents are kept. */
export interface DocumentSource {
  readonly bucket: Pick<KV, 'get'>;
  /** Writes if the key's last revision is the given one; resolves with the new revision. */
  readonly write: (key: string, json: string, revision: number) => Promise<number>;
  /** The bucket's messages whose keys match a filter, without bodies. The client's own listing waits for a heartbeat, half a minute, if one of them is written while it reads. */
  readonly scan: (filter: string, startSequence: number) => AsyncIterable<JsMsg>;
}

export interface DocumentsOptions {
  /**
   * How many documents are remembered as they were last written here. An update of one of them, or of one that is not known, is
   * tried without reading it first: right where one process writes most of its documents, and most updates begin one.
   * @default 0
   */
  readonly remember?: number;
}

/** A document as far as is known. Revision 0: there is none. */
interface Known<Value> {
  readonly value: Value | null;
  readonly revision: number;
}

/** JSON documents of one bucket, changed by compare-and-set only. */
export class Documents<Value> {
  private readonly memory: LRUCache<string, Known<Value>> | null;

  constructor(
    private readonly source: DocumentSource,
    private readonly parse: (value: unknown) => Value,
    { remember = 0 }: DocumentsOptions = {},
  ) {
    this.memory = remember === 0 ? null : new LRUCache({ max: remember });
  }

  /** @throws BusUnavailableError */
  async get(key: string): Promise<Stored<Value> | null> {
    const entry = await this.entry(key);
    if (entry?.operation !== 'PUT') return null;
    return { value: this.parse(entry.json()), revision: entry.revision, writtenAt: entry.created.getTime() };
  }

  /** The document as it was last written by this process, if that is remembered: others may have changed it since. */
  recall(key: string): Value | null {
    return this.memory?.get(key)?.value ?? null;
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
    if (this.memory !== null) {
      const guess = this.memory.get(key) ?? { value: null, revision: 0 };
      const { next, result } = change(guess.value, guess.revision);
      // What is not written is not checked: that nothing is to change is only certain of the document itself.
      if (next !== null && (await this.write(key, next, guess.revision))) return result;
    }
    for (let attempt = 0; attempt < MAX_TRIES; attempt += 1) {
      const known = await this.read(key);
      const { next, result } = change(known.value, known.revision);
      if (next === null || (await this.write(key, next, known.revision))) return result;
      await pause(jitter(2 * (attempt + 1)));
    }
    throw new ContentionError(`document ${key} changed ${MAX_TRIES} times while it was being updated`);
  }

  /**
   * Every document whose key matches `filter` (`*` stands for one token), without values, in no order. One that is written
   * meanwhile may be missing.
   *
   * @param after only those that were written after this revision; all of them if the bucket has never reached it, since it is another one then
   * @throws BusUnavailableError
   */
  async list(filter: string, after = 0): Promise<readonly Listed[]> {
    const listed = new Map<string, Listed>();
    try {
      for await (const message of this.source.scan(filter, after + 1)) {
        // $KV.<bucket>.<key>
        const key = message.subject.split('.').slice(2).join('.');
        // A document may come twice if it is written meanwhile; one that was deleted left a marker.
        if (isMarker(message)) listed.delete(key);
        else listed.set(key, { key, revision: message.seq, writtenAt: message.time.getTime() });
      }
    } catch (cause) {
      throw new BusUnavailableError(`listing documents ${filter} failed`, { cause });
    }
    return [...listed.values()];
  }

  private async read(key: string): Promise<Known<Value>> {
    const entry = await this.entry(key);
    const value = entry?.operation === 'PUT' ? this.parse(entry.json()) : null;
    return { value, revision: entry?.revision ?? 0 };
  }

  /** Whether the value is written: it is not if the document has another revision by now. */
  private async write(key: string, value: Value, revision: number): Promise<boolean> {
    try {
      const written = await this.source.write(key, JSON.stringify(value), revision);
      this.memory?.set(key, { value, revision: written });
      return true;
    } catch (error) {
      this.memory?.delete(key);
      if (isLostRace(error)) return false;
      throw new BusUnavailableError(`writing document ${key} failed`, { cause: error });
    }
  }

  private async entry(key: string): Promise<KvEntry | null> {
    try {
      return await this.source.bucket.get(key);
    } catch (cause) {
      throw new BusUnavailableError(`reading document ${key} failed`, { cause });
    }
  }
}
