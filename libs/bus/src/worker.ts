import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { INFO_HEADER, type ConsumerDefinition, type WireMessage } from '@app/contracts';
import type { Connection } from './connection';
import { NotYetError } from './errors';
import { acknowledge, deliverLater, keepAlive, settleFailure } from './settlement';

/** How long one pull waits for a message, in milliseconds; also the longest that an idle worker takes to stop. */
const PULL_EXPIRES_MS = 1000;
const REPAIR_PAUSE_MS = 250;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** A message as a handler sees it. */
export interface Delivery extends WireMessage {
  /** Sequence in its stream. */
  readonly sequence: number;
  /** 1 for the first delivery. */
  readonly deliveries: number;
}

/** Everything a worker needs; the bus fills in the connection. */
export interface WorkerOptions {
  readonly consumer: ConsumerDefinition;
  /** Messages worked on at once by this process. */
  readonly slots: number;
  /** Asked before every pull: for how many milliseconds nothing is to be pulled, because the work could not be done; 0: go on. */
  readonly pauseMs?: () => number;
  /** Returning acknowledges; throwing is settled by `settleFailure`. */
  readonly handle: (delivery: Delivery) => Promise<void>;
  /** Called before a message is given up, so that its turn is settled with a reason. */
  readonly onDead: (delivery: Delivery, error: unknown) => Promise<void>;
  /** Called for every failed delivery, also those that will be tried again; not for one that has come too early. */
  readonly onError: (delivery: Delivery, error: unknown) => void;
}

const deliveryOf = (message: JsMsg): Delivery => ({
  subject: message.subject,
  info: message.headers?.get(INFO_HEADER) ?? '',
  data: message.data,
  sequence: message.seq,
  deliveries: message.info.deliveryCount,
});

/**
 * Pulls messages of one durable consumer, never more than there are free slots, so that work spreads evenly over replicas.
 * Survives restarts of the server; stops by finishing what it holds.
 */
export class Worker {
  private stopping = false;
  /** Slots that no pull has asked a message for. */
  private free: number;
  private isAsking = false;
  private consumer: Consumer | null = null;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly connection: Connection,
    private readonly declare: () => Promise<Consumer>,
    private readonly options: WorkerOptions,
  ) {
    this.free = options.slots;
    this.ask();
  }

  /**
   * Takes no new message and resolves when those in hand are settled. While the server is away nothing can be settled, and
   * a pull under way does not end: then at once, and closing the connection ends the rest.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.race([this.finished(), this.connection.whenLost()]);
  }

  private async finished(): Promise<void> {
    while (this.running.size > 0) await Promise.all(this.running);
  }

  /** Asks for as many messages as there are free slots; slots that come free in the same moment are asked for together. */
  private ask(): void {
    if (this.isAsking || this.stopping) return;
    this.isAsking = true;
    setImmediate(() => {
      this.isAsking = false;
      const slots = this.free;
      if (slots === 0) return;
      this.free = 0;
      this.track(this.pull(slots));
    });
  }

  private giveBack(slots: number): void {
    this.free += slots;
    if (slots > 0) this.ask();
  }

  private track(work: Promise<void>): void {
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async pull(slots: number): Promise<void> {
    let left = slots;
    try {
      const pauseMs = this.options.pauseMs?.() ?? 0;
      if (pauseMs > 0) {
        await pause(Math.min(pauseMs, PULL_EXPIRES_MS));
        return;
      }
      await this.connection.whenUp(PULL_EXPIRES_MS);
      this.consumer ??= await this.declare();
      for await (const message of await this.consumer.fetch({ max_messages: slots, expires: PULL_EXPIRES_MS })) {
        left -= 1;
        this.track(this.work(message));
      }
    } catch {
      // The server went away, or lost the consumer with its store: declare it anew once it answers.
      this.consumer = null;
      await pause(REPAIR_PAUSE_MS);
    } finally {
      this.giveBack(left);
    }
  }

  private async work(message: JsMsg): Promise<void> {
    if (this.stopping) {
      deliverLater(message, 0);
      return;
    }
    const delivery = deliveryOf(message);
    const alive = setInterval(
      () => {
        keepAlive(message);
      },
      (this.options.consumer.ackWaitSeconds * 1000) / 3,
    );
    try {
      await this.options.handle(delivery);
      acknowledge(message);
    } catch (error) {
      if (!(error instanceof NotYetError)) this.options.onError(delivery, error);
      await this.settle(message, delivery, error);
    } finally {
      clearInterval(alive);
      this.giveBack(1);
    }
  }

  private async settle(message: JsMsg, delivery: Delivery, error: unknown): Promise<void> {
    const settlement = settleFailure(error, delivery.deliveries);
    if (settlement.kind === 'retry') {
      deliverLater(message, settlement.delayMs);
      return;
    }
    try {
      await this.options.onDead(delivery, error);
      acknowledge(message);
    } catch {
      // Not even the dead letter could be stored: the message stays.
      deliverLater(message, REPAIR_PAUSE_MS);
    }
  }
}
