import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { CONSUMERS } from '@app/contracts';
import { FollowQueue } from '@app/voting';
import { Teacher } from '../teaching/teacher';
import { HintPublisher } from './hint-publisher';
import { HintService } from './hint.service';

/** Takes followed turns off the queue and has their hints published. */
@Injectable()
export class TurnFollowedHandler implements OnApplicationBootstrap {
  constructor(
    private readonly queue: FollowQueue,
    private readonly teacher: Teacher,
    private readonly hints: HintService,
    private readonly publisher: HintPublisher,
  ) {}

  onApplicationBootstrap(): void {
    this.queue.work({
      consumer: CONSUMERS.teacher,
      pauseMs: () => this.teacher.pauseMs(),
      isDone: (turnId, deliveries) => this.publisher.isDone(turnId, deliveries),
      handle: async (followed, read, options) => this.publisher.publish(followed, await this.hints.hint(read, options)),
    });
  }
}
