import { setImmediate as nextRound, setTimeout as pause } from 'node:timers/promises';
import type { Msg } from '@nats-io/transport-node';
import type { ConsumerDefinition } from '@app/contracts';
import type { Connection } from './connection';
import { deliveryOf, type Delivery } from './delivered';
import { NotYetError } from './errors';
import { Puller, PULL_EXPIRES_MS } from './puller';
import { acknowledge, deliverLater, keepAlive, settleFailure } from './settlement';

const REPAIR_PAUSE_MS = 250;

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

/**
 * Pulls messages of one durable consumer, never more than there are free slots, so that work spreads evenly over replicas.
 * Survives restarts of the server; stops by finishing what it holds.
 */
export class Worker {
  private stopping = false;
  private free: number;
  private wake: () => void = () => undefined;
  private puller: Puller | null = null;
  private isDeclared = false;
  private readonly pulling: Promise<void>;
  private readonly running = new Set<Promise<void>>();

  constructor(
    private readonly connection: Connection,
    private readonly declare: () => Promise<void>,
    private readonly options: WorkerOptions,
  ) {
    this.free = options.slots;
    this.pulling = this.pullOn();
  }

  /**
   * Takes no new message and resolves when those in hand are settled. While the server is away nothing can be settled: then at
   * once, and closing the connection ends the rest.
   */
  async stop(): Promise<void> {
    this.stopping = true;
    this.wake();
    await Promise.race([this.finished(), this.connection.whenLost()]);
  }

  private async finished(): Promise<void> {
    await this.pulling;
    while (this.running.size > 0) await Promise.all(this.running);
  }

  private async pullOn(): Promise<void> {
    const forget = this.connection.onLost(() => this.puller?.fail());
    while (await this.hasFree()) {
      try {
        await this.pull();
      } catch {
        // The server went away, or lost the consumer with its store: declare it anew once it answers.
        this.isDeclared = false;
        await pause(REPAIR_PAUSE_MS);
      }
    }
    forget();
    this.puller?.close();
  }

  /** Waits for free slots: those that come free in the same moment, or during a pull, are asked for together. False: stopped. */
  private async hasFree(): Promise<boolean> {
    while (this.free <= 0 && !this.stopping) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    await nextRound();
    return !this.stopping;
  }

  private async pull(): Promise<void> {
    const pauseMs = this.options.pauseMs?.() ?? 0;
    if (pauseMs > 0) {
      await pause(Math.min(pauseMs, PULL_EXPIRES_MS));
      return;
    }
    const { nc } = await this.connection.whenUp(PULL_EXPIRES_MS);
    if (!this.isDeclared) await this.declare();
    this.isDeclared = true;
    this.puller ??= new Puller(nc, this.options.consumer, {
      inboxPrefix: this.connection.inboxPrefix,
      onMessage: (message) => {
        this.take(message);
      },
    });
    await this.puller.ask(this.free);
  }

  private take(message: Msg): void {
    this.free -= 1;
    const work = this.work(message);
    this.running.add(work);
    void work.finally(() => this.running.delete(work));
  }

  private async work(message: Msg): Promise<void> {
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
      this.free += 1;
      this.wake();
    }
  }

  private async settle(message: Msg, delivery: Delivery, error: unknown): Promise<void> {
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
