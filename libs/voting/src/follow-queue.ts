import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import { Bus, BusUnavailableError, jitter, OutageError, type Delivery, type Worker } from '@app/bus';
import {
  TurnFollowed,
  TurnSettled,
  type ConsumerDefinition,
  type SettleReason,
  type TurnFollowedInfo,
} from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import { StoppingError } from './errors';
import { TurnReader, type ReadableTurn } from './turn-reader';
import { Voter, type PollOptions } from './voter';

const BUS_AWAY_DELAY_MS = 1000;

/** What an app does with followed turns. */
export interface FollowWork {
  readonly consumer: ConsumerDefinition;
  /** For how many milliseconds no turn is to be taken though the judge is in order; 0: go on. */
  readonly pauseMs?: () => number;
  /** Whether nothing is left to be found out about a turn. `deliveries`: how often it was handed out, from 1. */
  readonly isDone: (turnId: string, deliveries: number) => Promise<boolean>;
  /** Works on one turn. The signal is aborted when the app stops: votes can take minutes, and their turn goes back. */
  readonly handle: (followed: TurnFollowedInfo, read: ReadableTurn, options: PollOptions) => Promise<void>;
}

/**
 * Takes followed turns off the queue of one app while the judge can be asked, and gives them back when the app stops. Turns that
 * can be read no more, or that nobody could work on, are settled here.
 */
@Injectable()
export class FollowQueue implements BeforeApplicationShutdown {
  private readonly workers: Worker[] = [];
  private readonly inHand = new Set<AbortController>();

  constructor(
    private readonly bus: Bus,
    private readonly voter: Voter,
    private readonly reader: TurnReader,
    private readonly telemetry: Telemetry,
  ) {}

  /** Begins to hand out turns. */
  work(work: FollowWork): void {
    const worker = this.bus.consume({
      consumer: work.consumer,
      slots: this.voter.turnsAtOnce,
      // A message sent back occupies its place in the consumer: during an outage they stay in the stream.
      pauseMs: () => Math.max(this.voter.pauseMs(), work.pauseMs?.() ?? 0),
      handle: (delivery) => this.takeInHand(delivery, work),
      settleDead: ({ subject }) => this.settle(subject.split('.').at(-1) ?? '', 'dead_letter'),
    });
    this.workers.push(worker);
  }

  /** Gives running turns up and resolves when all are back in the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    const stopped = this.workers.map((worker) => worker.stop());
    for (const controller of this.inHand) controller.abort(new StoppingError('the app is stopping'));
    await Promise.all(stopped);
  }

  private async takeInHand(delivery: Delivery, work: FollowWork): Promise<void> {
    // One controller per turn: signals derived from one that lives as long as the process would pile up in it.
    const controller = new AbortController();
    this.inHand.add(controller);
    try {
      const { deliveries } = delivery;
      await this.handle(TurnFollowed.decodeInfo(delivery), work, { signal: controller.signal, deliveries });
    } catch (cause) {
      if (!(cause instanceof BusUnavailableError)) throw cause;
      throw new OutageError('NATS is away', jitter(BUS_AWAY_DELAY_MS), { cause });
    } finally {
      this.inHand.delete(controller);
    }
  }

  private async handle(followed: TurnFollowedInfo, work: FollowWork, options: PollOptions): Promise<void> {
    if (await work.isDone(followed.turnId, options.deliveries)) return;
    const read = await this.reader.read(followed, options.deliveries);
    if (read.kind === 'excluded') return;
    if (read.kind === 'lost') await this.settle(followed.turnId, 'turn_lost', followed.session);
    else await work.handle(followed, read, options);
  }

  private async settle(turnId: string, reason: SettleReason, session?: string): Promise<void> {
    const result = await this.bus.publish(TurnSettled, [turnId], {
      info: { turnId, kind: 'reason', reason, ...(session === undefined ? {} : { session }), settledAt: Date.now() },
      head: {},
    });
    if (result === 'stored') this.telemetry.metrics.turnsSettled.inc({ outcome: reason });
  }
}
