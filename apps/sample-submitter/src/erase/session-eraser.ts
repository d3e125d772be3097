import { Injectable } from '@nestjs/common';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import { Bus } from '@app/bus';
import { BUCKETS, rootSessionKey, sessionDocumentKey, STREAM_NAMES } from '@app/contracts';
import { RecordFiles } from '../records/record-files';
import { SessionMessages, turnIdOf, type StoredInfo } from './session-messages';

/** What was removed. */
export interface Erased {
  readonly messages: number;
  readonly records: number;
}

const placeOf = (value: unknown): string | null =>
  typeof value === 'object' && value !== null && 'session' in value && typeof value.session === 'string'
    ? value.session
    : null;

/**
 * Removes everything that is kept of one session: its messages in every stream, its documents, its records. Samples that
 * a trainer holds stay with it; here they are gone.
 */
@Injectable()
export class SessionEraser {
  constructor(
    private readonly bus: Bus,
    private readonly files: RecordFiles,
  ) {}

  /** @throws BusUnavailableError, or the system's error where a record cannot be removed */
  async erase(session: string): Promise<Erased> {
    const documents = await this.bus.bucket(BUCKETS.sessions);
    const messages = await this.find(session, documents);
    const turnIds = [...new Set(messages.flatMap((message) => turnIdOf(message) ?? []))];
    let deleted = 0;
    for (const { stream, sequence } of messages) if (await this.remove({ stream, sequence })) deleted += 1;
    await this.forget(session, turnIds, documents);
    // A turn whose session was not known yet when its record was written has a file of its own.
    const records = await this.files.removeSessions([session, ...turnIds.map(rootSessionKey)]);
    return { messages: deleted, records };
  }

  private async find(session: string, documents: KV): Promise<StoredInfo[]> {
    const ours = new SessionMessages(session);
    for await (const message of this.everything()) ours.learn(message);
    for await (const entry of await documents.history({ key: 'turn.*' })) {
      const place = entry.operation === 'PUT' ? placeOf(entry.json()) : null;
      if (place !== null) ours.place(entry.key.slice('turn.'.length), place);
    }
    const found: StoredInfo[] = [];
    for await (const message of this.everything()) if (ours.isOurs(message)) found.push(message);
    return found;
  }

  private async *everything(): AsyncGenerator<StoredInfo> {
    for (const stream of STREAM_NAMES) {
      for await (const message of this.bus.scan(stream)) yield { stream, ...message };
    }
  }

  private async remove({ stream, sequence }: Pick<StoredInfo, 'stream' | 'sequence'>): Promise<boolean> {
    try {
      await this.bus.deleteAt(stream, sequence);
      return true;
    } catch (error) {
      // Removed meanwhile, by a limit or another request.
      if (error instanceof JetStreamApiError) return false;
      throw error;
    }
  }

  private async forget(session: string, turnIds: readonly string[], documents: KV): Promise<void> {
    for (const turnId of turnIds) await documents.purge(`turn.${turnId}`);
    await documents.purge(sessionDocumentKey(session));
    const chains = await this.bus.bucket(BUCKETS.chains);
    for await (const { key } of await chains.history({ key: `chain.${session}.*` })) await chains.purge(key);
  }
}
