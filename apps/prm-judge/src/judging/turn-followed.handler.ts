import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { CONSUMERS, type TurnFollowedInfo } from '@app/contracts';
import { FollowWorker, TurnReader, Voter, type PollOptions } from '@app/voting';
import { JudgeService } from './judge.service';
import { VerdictPublisher } from './verdict-publisher';

/** Takes followed turns off the queue and has their verdicts published. */
@Injectable()
export class TurnFollowedHandler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: FollowWorker | null = null;

  // eslint-disable-next-line max-params -- Nest hands these in by their types
  constructor(
    private readonly bus: Bus,
    private readonly voter: Voter,
    private readonly reader: TurnReader,
    private readonly judge: JudgeService,
    private readonly verdicts: VerdictPublisher,
  ) {}

  onApplicationBootstrap(): void {
    this.worker = new FollowWorker(this.bus, {
      consumer: CONSUMERS.judge,
      slots: this.voter.turnsAtOnce,
      pauseMs: () => this.voter.pauseMs(),
      handle: (followed, options) => this.handle(followed, options),
      settleDead: (turnId) => this.verdicts.settle(turnId, 'dead_letter'),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop();
  }

  private async handle(followed: TurnFollowedInfo, options: PollOptions): Promise<void> {
    if (options.deliveries > 1 && (await this.verdicts.isJudged(followed.turnId))) return;
    const read = await this.reader.read(followed, options.deliveries);
    if (read.kind === 'excluded') return;
    if (read.kind === 'lost') await this.verdicts.settle(followed.turnId, 'turn_lost', followed.session);
    else await this.verdicts.publish(followed, await this.judge.judge(read.turn, options));
  }
}
