import { MessageTooLargeError, type PublishResult } from '@app/bus';
import type { EncodedMessage } from '@app/contracts';
import type { Run, Tracer } from '@app/tracing';
import { WaitingLine } from './waiting-line';

/**
 * A captured message and what to say in its place if the bus does not take one so large. Parcels may wait for long, and their
 * bytes are what is bounded: their functions hold nothing of the request or the answer.
 */
export interface Parcel {
  readonly message: EncodedMessage;
  readonly ifTooLarge: () => readonly EncodedMessage[];
  /** Told once, when the bus has it whole, or when it is to be said in fewer bytes. */
  readonly onFate?: (fate: 'whole' | 'too_large') => void;
}

/** A parcel and its place in the order of arrival. */
interface Entry {
  readonly parcel: Parcel;
  readonly turn: string;
  readonly place: number;
  /** Runs what is done with it as part of the turn that it is of. */
  readonly run: Run;
}

/** The part of the bus that is needed here. */
export interface Publisher {
  readonly isUp: boolean;
  publishEncoded(message: EncodedMessage): Promise<PublishResult>;
}

export interface OutboxOptions {
  readonly maxBytes: number;
  readonly tracer: Pick<Tracer, 'keep'>;
  /** Told of every parcel that was not kept. */
  readonly onDropped: (cause: 'buffer_full' | 'refused') => void;
}

/** Publishes under way at once. */
const IN_FLIGHT = 64;
const GATHER_MS = 1;
const PAUSE_MS = 250;

/** Every message of a turn ends in the turn's id. */
const turnOf = ({ message }: Parcel): string => message.subject.slice(message.subject.lastIndexOf('.') + 1);

const sizeOf = (parcel: Parcel): number => parcel.message.data.byteLength + parcel.message.info.length;

/**
 * Sends captured messages on the side and never lets the chat wait: what the bus does not take now stays in a bounded
 * buffer, what does not fit is counted. Repeats are harmless, since every message is its own guard. Those of one turn go one
 * after the other: a gateway that dies between them has said the first and not the second.
 */
export class Outbox {
  private readonly queue = new WaitingLine<Entry>();
  /** Turns of which a message is in the queue or under way, with those that wait behind it. */
  private readonly turns = new Map<string, Entry[]>();
  private places = 0;
  private bytes = 0;
  private inFlight = 0;
  private soon: NodeJS.Timeout | null = null;
  private retry: NodeJS.Timeout | null = null;
  private idle: (() => void)[] = [];

  constructor(
    private readonly publisher: Publisher,
    private readonly options: OutboxOptions,
  ) {}

  /** Bytes that are still to be sent. */
  get size(): number {
    return this.bytes;
  }

  /** Whether a message of this turn is still to be sent. */
  holds(turnId: string): boolean {
    return this.turns.has(turnId);
  }

  /** Keeps a parcel for sending; false if there was no room. */
  push(parcel: Parcel): boolean {
    const size = sizeOf(parcel);
    if (this.bytes + size > this.options.maxBytes) {
      this.options.onDropped('buffer_full');
      return false;
    }
    this.bytes += size;
    const entry = { parcel, turn: turnOf(parcel), place: this.places, run: this.options.tracer.keep() };
    this.places += 1;
    const waiting = this.turns.get(entry.turn);
    if (waiting !== undefined) {
      waiting.push(entry);
      return true;
    }
    this.turns.set(entry.turn, []);
    this.queue.add(entry);
    this.sendSoon();
    return true;
  }

  /** Resolves when everything has been sent, or after `timeoutMs`. */
  async flush(timeoutMs: number): Promise<void> {
    if (this.bytes === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.idle.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Starts as many publishes as may be under way; called soon after a push, on each answer, and when the bus is back. */
  send(): void {
    while (this.publisher.isUp && this.inFlight < IN_FLIGHT) {
      const entry = this.queue.take();
      if (entry === undefined) return;
      this.inFlight += 1;
      void this.deliver(entry);
    }
    if (this.queue.length > 0 && !this.publisher.isUp) this.sendLater();
  }

  /**
   * What is captured in one moment leaves in one write, which with many clients is half the cost of sending, and behind the
   * request to the model, which a client waits for.
   */
  private sendSoon(): void {
    this.soon ??= setTimeout(() => {
      this.soon = null;
      if (this.retry === null) this.send();
    }, GATHER_MS);
  }

  private async deliver(entry: Entry): Promise<void> {
    const { parcel, run } = entry;
    try {
      await run(() => this.publisher.publishEncoded(parcel.message));
      parcel.onFate?.('whole');
      this.bytes -= sizeOf(parcel);
      this.sendNext(entry);
    } catch (error) {
      if (error instanceof MessageTooLargeError) this.replace(entry);
      else this.putBack(entry);
    } finally {
      this.inFlight -= 1;
      if (this.retry === null) this.send();
      if (this.bytes === 0) this.wake();
    }
  }

  /** Says in fewer bytes what the bus did not take, before anything that waits behind it. */
  private replace(entry: Entry): void {
    const { parcel, turn } = entry;
    parcel.onFate?.('too_large');
    this.bytes -= sizeOf(parcel);
    const instead = parcel.ifTooLarge().map((message) => ({ message, ifTooLarge: () => [] }));
    if (instead.length === 0) this.options.onDropped('refused');
    for (const each of instead) this.bytes += sizeOf(each);
    this.turns.get(turn)?.unshift(...instead.map((each) => ({ ...entry, parcel: each })));
    this.sendNext(entry);
  }

  /** A turn's message is out: the next one of the same turn takes its place. */
  private sendNext({ turn }: Entry): void {
    const next = this.turns.get(turn)?.shift();
    if (next === undefined) this.turns.delete(turn);
    else this.queue.add(next);
  }

  /** Back to where it stood: publishes under way fail together, in any order. */
  private putBack(entry: Entry): void {
    this.queue.add(entry);
    this.sendLater();
  }

  private wake(): void {
    for (const done of this.idle) done();
    this.idle = [];
  }

  private sendLater(): void {
    this.retry ??= setTimeout(() => {
      this.retry = null;
      this.send();
    }, PAUSE_MS);
  }
}
