import { Bus, BusUnavailableError, jitter, OutageError, type Delivery, type Worker } from '@app/bus';
import { TurnFollowed, type ConsumerDefinition, type TurnFollowedInfo } from '@app/contracts';
import { StoppingError } from './errors';
import type { PollOptions } from './voter';

const BUS_AWAY_DELAY_MS = 1000;

export interface FollowWork {
  readonly consumer: ConsumerDefinition;
  /** Turns worked on at once. */
  readonly slots: number;
  /** For how many milliseconds no turn is to be taken; 0: go on. */
  readonly pauseMs: () => number;
  /** Works on one turn. The signal is aborted when the app stops: votes can take minutes, and their turn goes back. */
  readonly handle: (followed: TurnFollowedInfo, options: PollOptions) => Promise<void>;
  /** Settles a turn that nobody could work on. */
  readonly settleDead: (turnId: string) => Promise<void>;
}

/** Takes followed turns off the queue of one app, and gives them back when the app stops. */
export class FollowWorker {
  private readonly worker: Worker;
  private readonly inHand = new Set<AbortController>();

  constructor(
    bus: Bus,
    private readonly work: FollowWork,
  ) {
    this.worker = bus.consume({
      consumer: work.consumer,
      slots: work.slots,
      // A message sent back occupies its place in the consumer: during an outage they stay in the stream.
      pauseMs: work.pauseMs,
      handle: (delivery) => this.handle(delivery),
      settleDead: ({ subject }) => work.settleDead(subject.split('.').at(-1) ?? ''),
    });
  }

  /** Gives running turns up and resolves when all are back in the queue. */
  async stop(): Promise<void> {
    const stopped = this.worker.stop();
    for (const controller of this.inHand) controller.abort(new StoppingError('the app is stopping'));
    await stopped;
  }

  private async handle(delivery: Delivery): Promise<void> {
    // One controller per turn: signals derived from one that lives as long as the process would pile up in it.
    const controller = new AbortController();
    this.inHand.add(controller);
    try {
      const { deliveries } = delivery;
      await this.work.handle(TurnFollowed.decodeInfo(delivery), { signal: controller.signal, deliveries });
    } catch (cause) {
      if (!(cause instanceof BusUnavailableError)) throw cause;
      throw new OutageError('NATS is away', jitter(BUS_AWAY_DELAY_MS), { cause });
    } finally {
      this.inHand.delete(controller);
    }
  }
}
