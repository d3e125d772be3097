import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, BusUnavailableError, jitter, OutageError, type Delivery, type Worker } from '@app/bus';
import { CONSUMERS, TurnFollowed } from '@app/contracts';
import { StoppingError } from './errors';
import { JudgeService, type Judgement } from './judge.service';
import type { FollowedTurn } from './prompt';
import { TurnReader } from './turn-reader';
import { VerdictPublisher } from './verdict-publisher';

const BUS_AWAY_DELAY_MS = 1000;

/** Takes followed turns off the queue and has their verdicts published. */
@Injectable()
export class TurnFollowedHandler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: Worker | null = null;
  private readonly inHand = new Set<AbortController>();

  constructor(
    private readonly bus: Bus,
    private readonly reader: TurnReader,
    private readonly judge: JudgeService,
    private readonly verdicts: VerdictPublisher,
  ) {}

  onApplicationBootstrap(): void {
    this.worker = this.bus.consume({
      consumer: CONSUMERS.judge,
      slots: this.judge.turnsAtOnce,
      // A message sent back occupies its place in the consumer: during an outage they stay in the stream.
      pauseMs: () => this.judge.pauseMs(),
      handle: (delivery) => this.handle(delivery),
      settleDead: ({ subject }) => this.verdicts.settle(subject.split('.').at(-1) ?? '', 'dead_letter'),
    });
  }

  /** Votes can take minutes: running ones are given up, and their turns go back to the queue. */
  async beforeApplicationShutdown(): Promise<void> {
    const stopped = this.worker?.stop();
    for (const controller of this.inHand) controller.abort(new StoppingError('the judge is stopping'));
    await stopped;
  }

  private async handle(delivery: Delivery): Promise<void> {
    try {
      await this.judgeTurn(delivery);
    } catch (cause) {
      if (!(cause instanceof BusUnavailableError)) throw cause;
      throw new OutageError('NATS is away', jitter(BUS_AWAY_DELAY_MS), { cause });
    }
  }

  private async judgeTurn(delivery: Delivery): Promise<void> {
    const followed = TurnFollowed.decodeInfo(delivery);
    if (delivery.deliveries > 1 && (await this.verdicts.isJudged(followed.turnId))) return;
    const read = await this.reader.read(followed, delivery.deliveries);
    if (read.kind === 'excluded') return;
    if (read.kind === 'lost') await this.verdicts.settle(followed.turnId, 'turn_lost', followed.session);
    else await this.verdicts.publish(followed, await this.vote(read.turn, delivery.deliveries));
  }

  /** @throws OutageError if there was no way to a result */
  private async vote(turn: FollowedTurn, deliveries: number): Promise<Judgement> {
    // One controller per turn: signals derived from one that lives as long as the process would pile up in it.
    const controller = new AbortController();
    this.inHand.add(controller);
    try {
      return await this.judge.judge(turn, { signal: controller.signal, deliveries });
    } finally {
      this.inHand.delete(controller);
    }
  }
}
