import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { isRecord } from '@app/chat';
import { BUCKETS, STREAM_NAMES, TurnArrived, type ErasureDocument } from '@app/contracts';
import { SessionMessages, turnIdOf, type StoredInfo } from './session-messages';

type After = ErasureDocument['after'];

const placeOf = (value: unknown): string | null =>
  isRecord(value) && typeof value.session === 'string' ? value.session : null;

/** Messages of sessions and turns in every stream, found by their headers. @throws BusUnavailableError */
@Injectable()
export class StoredSessions {
  constructor(private readonly bus: Bus) {}

  /** The last sequence of every stream. */
  async lastSequences(): Promise<After> {
    await this.bus.ready();
    const { jsm } = this.bus.connection.current();
    const infos = await Promise.all(STREAM_NAMES.map((stream) => jsm.streams.info(stream)));
    return Object.fromEntries(infos.map(({ config, state }) => [config.name, state.last_seq]));
  }

  /** A session's messages, newer than `after`. `turns`: those that are known to be the session's. */
  async find(
    session: string,
    { after = {}, turns }: { readonly after?: After; readonly turns: readonly string[] },
  ): Promise<{ readonly messages: StoredInfo[]; readonly ours: SessionMessages }> {
    const ours = new SessionMessages(session, new Set(turns));
    for await (const message of this.everything(after)) ours.learn(message);
    const places = await this.bus.documents(BUCKETS.sessions, placeOf);
    for (const { key } of await places.list('turn.*')) {
      const place = (await places.get(key))?.value ?? null;
      if (place !== null) ours.place(key.slice('turn.'.length), place);
    }
    const messages: StoredInfo[] = [];
    for await (const message of this.everything(after)) if (ours.isOurs(message)) messages.push(message);
    return { messages, ours };
  }

  /** Ids of the turns that arrived later. */
  async arrivedAfter(after: After): Promise<ReadonlySet<string>> {
    const { stream, filter } = TurnArrived;
    const turnIds = new Set<string>();
    const startSequence = (after[stream] ?? 0) + 1;
    for await (const message of this.bus.scan(stream, { startSequence, filter })) {
      const turnId = turnIdOf(message);
      if (turnId !== null) turnIds.add(turnId);
    }
    return turnIds;
  }

  /** Everything that is stored about some turns. */
  async ofTurns(turnIds: ReadonlySet<string>): Promise<StoredInfo[]> {
    const messages: StoredInfo[] = [];
    for await (const message of this.everything({})) {
      if (turnIds.has(turnIdOf(message) ?? '')) messages.push(message);
    }
    return messages;
  }

  /** Removes messages. Returns how many were still there. */
  async remove(messages: readonly StoredInfo[]): Promise<number> {
    let removed = 0;
    for (const { stream, subject } of messages) if (await this.bus.remove(stream, subject)) removed += 1;
    return removed;
  }

  private async *everything(after: After): AsyncGenerator<StoredInfo> {
    for (const stream of STREAM_NAMES) {
      const startSequence = (after[stream] ?? 0) + 1;
      for await (const message of this.bus.scan(stream, { startSequence })) yield { stream, ...message };
    }
  }
}
