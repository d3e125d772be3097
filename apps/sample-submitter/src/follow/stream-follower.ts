import { DeliverPolicy, type ConsumerMessages, type StreamInfo } from '@nats-io/jetstream';
import { BusUnavailableError, streamCreatedAt, type Bus, type ScannedInfo } from '@app/bus';
import { INFO_HEADER, type StreamName } from '@app/contracts';

const PULL_EXPIRES_MS = 5000;
const HEARTBEAT_MS = 1000;
const REPAIR_PAUSE_MS = 250;
const CATCH_UP_MS = 10_000;

/** Signs that the consumer, the stream or the server was away: the stream is looked at anew. */
const TROUBLE = new Set([
  'heartbeats_missed',
  'consumer_not_found',
  'consumer_deleted',
  'stream_not_found',
  'no_responders',
  'ordered_consumer_recreated',
]);

export interface Followed {
  readonly stream: StreamName;
  readonly filter?: string;
  /** Begins so many messages before the newest, not with the first one. */
  readonly newest?: number;
  readonly onInfo: (info: ScannedInfo) => void;
  /** The stream is another one than before, or the first: everything known of it is void. */
  readonly onReset: () => void;
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Follows a stream's headers from its first message on, for an index in memory. Survives restarts of the server and a
 * stream that is created anew.
 */
export class StreamFollower {
  private seen = 0;
  private created = 0;
  private stopped = false;
  private messages: ConsumerMessages | null = null;
  private hasPassed = false;
  private readonly passWaiters: (() => void)[] = [];
  private readonly waiters = new Set<() => void>();

  constructor(
    private readonly bus: Bus,
    private readonly followed: Followed,
  ) {}

  /** Every message up to this sequence has been handed to `onInfo`. */
  get seenUpTo(): number {
    return this.seen;
  }

  /** When the stream that is followed was created, server's clock, milliseconds; 0 before the first look. */
  get streamCreatedAt(): number {
    return this.created;
  }

  /** Resolves when everything that was stored when the following began has been handed to `onInfo`, or at `stop`. */
  async whenStarted(): Promise<void> {
    if (!this.hasPassed && !this.stopped) await new Promise<void>((resolve) => this.passWaiters.push(resolve));
  }

  /** Follows until `stop`. */
  async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch {
        // The server is away, or the stream is being made: the next look finds out.
      }
      await pause(REPAIR_PAUSE_MS);
    }
  }

  async stop(): Promise<void> {
    this.stopped = true;
    this.pass();
    await this.messages?.close();
  }

  /**
   * Resolves when everything that was stored before the call has been seen; returns the sequences that are no longer
   * stored: all below `first`, and `deleted`.
   * @throws BusUnavailableError if that takes too long.
   */
  async catchUp(): Promise<{ readonly first: number; readonly deleted: readonly number[] }> {
    const info = await this.look();
    const { state } = info;
    // The server leaves the list out where there is nothing in it.
    const deleted = (state.deleted as number[] | undefined) ?? [];
    const missing = new Set(deleted);
    let last = state.last_seq;
    while (last >= state.first_seq && missing.has(last)) last -= 1;
    await this.whenSeen(streamCreatedAt(info), last < state.first_seq ? 0 : last);
    return { first: state.first_seq, deleted };
  }

  private async look(): Promise<StreamInfo> {
    try {
      await this.bus.ready();
      return await this.bus.connection.current().jsm.streams.info(this.followed.stream, { deleted_details: true });
    } catch (cause) {
      throw new BusUnavailableError(`stream ${this.followed.stream} does not answer`, { cause });
    }
  }

  private async whenSeen(created: number, sequence: number): Promise<void> {
    const isSeen = (): boolean => this.created > created || (this.created === created && this.seen >= sequence);
    if (isSeen()) return;
    await new Promise<void>((resolve, reject) => {
      const look = (): void => {
        if (!isSeen()) return;
        clearTimeout(timer);
        this.waiters.delete(look);
        resolve();
      };
      const timer = setTimeout(() => {
        this.waiters.delete(look);
        reject(new BusUnavailableError(`${this.followed.stream} is still being read, at ${this.seen} of ${sequence}`));
      }, CATCH_UP_MS);
      this.waiters.add(look);
    });
  }

  private async follow(): Promise<void> {
    await this.bus.ready();
    const { js, jsm } = this.bus.connection.current();
    const { stream, filter } = this.followed;
    const info = await jsm.streams.info(stream);
    const { first_seq: first, last_seq: last } = info.state;
    this.take(streamCreatedAt(info), Math.max(first, last + 1 - (this.followed.newest ?? Infinity)));
    const consumer = await js.consumers.get(stream, {
      headers_only: true,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: this.seen + 1,
      ...(filter === undefined ? {} : { filter_subjects: filter }),
    });
    const messages = await consumer.consume({ expires: PULL_EXPIRES_MS, idle_heartbeat: HEARTBEAT_MS });
    this.messages = messages;
    if ((await consumer.info()).num_pending === 0) this.pass();
    void this.leaveOnTrouble(messages);
    for await (const message of messages) {
      if (this.stopped) return;
      const info = message.headers?.get(INFO_HEADER) ?? '';
      this.followed.onInfo({ subject: message.subject, sequence: message.seq, info });
      this.seen = message.seq;
      if (message.info.pending === 0) this.pass();
      this.wake();
    }
  }

  private take(created: number, first: number): void {
    if (created !== this.created) {
      this.created = created;
      this.seen = 0;
      this.followed.onReset();
    }
    this.seen = Math.max(this.seen, first - 1);
    this.wake();
  }

  private pass(): void {
    this.hasPassed = true;
    for (const waiter of this.passWaiters.splice(0)) waiter();
  }

  private async leaveOnTrouble(messages: ConsumerMessages): Promise<void> {
    for await (const { type } of messages.status()) {
      if (TROUBLE.has(type)) break;
    }
    await messages.close();
  }

  private wake(): void {
    for (const waiter of [...this.waiters]) waiter();
  }
}
