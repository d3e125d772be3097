import type { Consumer, JsMsg } from '@nats-io/jetstream';
import { INFO_HEADER, type ConsumerDefinition, type WireMessage } from '@app/contracts';
import type { Connection } from './connection';
import { acknowledge, deliverLater, keepAlive, settleFailure } from './settlement';

/** How long one pull waits for a message, in milliseconds; also the longest that an idle worker takes to stop. */
const PULL_EXPIRES_MS = 1000;
const REPAIR_PAUSE_MS = 250;

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
  /** Called for every failed delivery, also those that will be tried again. */
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
 * Pulls messages of one durable consumer, one pull per free slot, so that work spreads evenly over replicas.
 * Survives restarts of the server; stops by finishing what it holds.
 */
export class Worker {
  private stopping = false;
  private readonly loops: Promise<void>[];

  constructor(
    private readonly connection: Connection,
    private readonly declare: () => Promise<Consumer>,
    private readonly options: WorkerOptions,
  ) {
    this.loops = Array.from({ length: options.slots }, () => this.loop());
  }

  /**
   * Takes no new message and resolves when those in hand are settled. While the server is away nothing can be settled, and
   * a pull under way does not end: then at once, and closing the connection ends the rest.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    await Promise.race([Promise.all(this.loops), this.connection.whenLost()]);
  }

  private async loop(): Promise<void> {
    let consumer: Consumer | null = null;
    while (!this.stopping) {
      try {
        const pauseMs = this.options.pauseMs?.() ?? 0;
        if (pauseMs > 0) {
          await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, PULL_EXPIRES_MS)));
          continue;
        }
        await this.connection.whenUp(PULL_EXPIRES_MS);
        consumer ??= await this.declare();
        const message = await consumer.next({ expires: PULL_EXPIRES_MS });
        if (message !== null) await this.work(message);
      } catch {
        // The server went away, or lost the consumer with its store: declare it anew once it answers.
        consumer = null;
        await new Promise((resolve) => setTimeout(resolve, REPAIR_PAUSE_MS));
      }
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
      this.options.onError(delivery, error);
      await this.settle(message, delivery, error);
    } finally {
      clearInterval(alive);
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
