import { Injectable } from '@nestjs/common';
import { Bus, type Documents } from '@app/bus';
import { BUCKETS, erasureDocumentKey, parseErasureDocument, type ErasureDocument } from '@app/contracts';

/** How long what was in hand when a session was erased may take to come out: the longest answer and its judgement. */
const FOLLOWED_FOR_MS = 3_600_000;
const KEY_PREFIX = erasureDocumentKey('');

/** A session that was erased, and the revision of what is noted about it. */
export interface RecentErasure {
  readonly session: string;
  readonly revision: number;
  readonly erasure: ErasureDocument;
}

const isRecent = ({ writtenAt }: { readonly writtenAt: number }): boolean => Date.now() - writtenAt < FOLLOWED_FOR_MS;

const union = (a: readonly string[], b: readonly string[]): string[] => [...new Set([...a, ...b])];

/** The notes about sessions that were erased within the last hour. @throws BusUnavailableError */
@Injectable()
export class Erasures {
  constructor(private readonly bus: Bus) {}

  /** What is noted about a session, or null. */
  async read(session: string): Promise<ErasureDocument | null> {
    const stored = await (await this.documents()).get(erasureDocumentKey(session));
    return stored !== null && isRecent(stored) ? stored.value : null;
  }

  /** Notes an erasure, and what was found since. What is known from before stays known. */
  async write(session: string, erasure: ErasureDocument): Promise<ErasureDocument> {
    const documents = await this.documents();
    return documents.update(erasureDocumentKey(session), (current) => {
      const turns = union(current?.turns ?? [], erasure.turns);
      const next = {
        after: latest(current?.after, erasure.after),
        turns,
        places: union(current?.places ?? [], erasure.places),
      };
      return { next, result: next };
    });
  }

  async recent(): Promise<RecentErasure[]> {
    const documents = await this.documents();
    const erasures: RecentErasure[] = [];
    for (const { key } of (await documents.list(erasureDocumentKey('*'))).filter(isRecent)) {
      const stored = await documents.get(key);
      if (stored === null) continue;
      erasures.push({ session: key.slice(KEY_PREFIX.length), revision: stored.revision, erasure: stored.value });
    }
    return erasures;
  }

  private documents(): Promise<Documents<ErasureDocument>> {
    return this.bus.documents(BUCKETS.sessions, parseErasureDocument);
  }
}

/** A session that was erased twice was erased the second time. */
const latest = (a: ErasureDocument['after'] = {}, b: ErasureDocument['after']): ErasureDocument['after'] =>
  Object.fromEntries([...Object.keys(a), ...Object.keys(b)].map((key) => [key, Math.max(a[key] ?? 0, b[key] ?? 0)]));
