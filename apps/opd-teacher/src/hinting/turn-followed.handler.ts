import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { CONSUMERS, type TurnFollowedInfo } from '@app/contracts';
import { FollowWorker, TurnReader, Voter, type PollOptions } from '@app/voting';
import { Teacher } from '../teaching/teacher';
import { HintPublisher } from './hint-publisher';
import { HintService } from './hint.service';

/** Takes followed turns off the queue and has their hints published. */
@Injectable()
export class TurnFollowedHandler implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private worker: FollowWorker | null = null;

  // eslint-disable-next-line max-params -- Nest hands these in by their types
  constructor(
    private readonly bus: Bus,
    private readonly voter: Voter,
    private readonly teacher: Teacher,
    private readonly reader: TurnReader,
    private readonly hints: HintService,
    private readonly publisher: HintPublisher,
  ) {}

  onApplicationBootstrap(): void {
    this.worker = new FollowWorker(this.bus, {
      consumer: CONSUMERS.teacher,
      slots: this.voter.turnsAtOnce,
      pauseMs: () => Math.max(this.voter.pauseMs(), this.teacher.pauseMs()),
      handle: (followed, options) => this.handle(followed, options),
      settleDead: (turnId) => this.publisher.settle(turnId, 'dead_letter'),
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.worker?.stop();
  }

  private async handle(followed: TurnFollowedInfo, options: PollOptions): Promise<void> {
    // Also on a first delivery: a method that is switched on finds turns that were settled without it.
    if (await this.publisher.isDone(followed.turnId)) return;
    const read = await this.reader.read(followed, options.deliveries);
    if (read.kind === 'excluded') return;
    if (read.kind === 'lost') await this.publisher.settle(followed.turnId, 'turn_lost', followed.session);
    else await this.publisher.publish(followed, await this.hints.hint(read, options));
  }
}
