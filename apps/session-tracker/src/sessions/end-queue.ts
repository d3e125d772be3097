import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Background } from '@app/bus';
import { Progress } from './progress';
import type { SessionChange } from './session-state';
import { Sessions } from './sessions';

const PAUSE_MS = 50;

/**
 * Sessions that end as soon as every earlier event has been handled: turns and followers that are on their way to some
 * replica belong to the session that ends. Only hurries: what dies with this process is ended by the next sweep.
 */
@Injectable()
export class EndQueue implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(EndQueue.name);
  private readonly waiting = new Map<string, number>();
  private readonly background = new Background(
    () => PAUSE_MS,
    () => this.endReady(),
    (error) => {
      this.logger.debug(`ends of sessions wait: ${error instanceof Error ? error.message : typeof error}`);
    },
  );

  constructor(
    private readonly sessions: Sessions,
    @Inject(Progress) private readonly progress: Pick<Progress, 'handledThrough'>,
  ) {}

  onApplicationBootstrap(): void {
    this.background.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.background.stop();
  }

  /** Applies what the event at `sequence` of the stream of turns says, and ends the session in time if it is over with that. */
  async apply(session: string, changes: readonly SessionChange[], sequence: number): Promise<void> {
    const endsAfter = await this.sessions.apply(session, changes);
    if (endsAfter === null) return;
    this.waiting.set(session, Math.max(endsAfter, sequence, this.waiting.get(session) ?? 0));
  }

  /** Ends what can end now. @throws BusUnavailableError; then it waits on */
  async endReady(): Promise<void> {
    if (this.waiting.size === 0) return;
    const handled = await this.progress.handledThrough();
    for (const [session, sequence] of [...this.waiting]) {
      if (sequence > handled) continue;
      await this.sessions.endDue(session);
      if (this.waiting.get(session) === sequence) this.waiting.delete(session);
    }
  }
}
