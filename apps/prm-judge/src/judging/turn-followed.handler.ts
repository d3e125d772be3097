import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONSUMERS } from '@app/contracts';
import { FollowQueue } from '@app/voting';
import { JudgeService } from './judge.service';
import { VerdictPublisher } from './verdict-publisher';

/** Takes followed turns off the queue and has their verdicts published. */
@Injectable()
export class TurnFollowedHandler implements OnApplicationBootstrap {
  constructor(
    private readonly queue: FollowQueue,
    private readonly judge: JudgeService,
    private readonly verdicts: VerdictPublisher,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.work({
      consumer: CONSUMERS.judge,
      isDone: async (turnId, deliveries) => deliveries > 1 && (await this.verdicts.isJudged(turnId)),
      handle: async (followed, { turn }, options) =>
        this.verdicts.publish(followed, await this.judge.judge(turn, options)),
    });
  }
}
