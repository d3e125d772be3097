import { setTimeout as sleep } from 'node:timers/promises';
import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { jitter } from '@app/bus';
import { Settings } from '@app/config';
import { sessionDocumentKey } from '@app/contracts';
import { Stores } from '../storage/stores';
import { Progress } from './progress';
import { Sessions } from './sessions';

const LONGEST_PAUSE_MS = 60_000;
const EVERY_SESSION = sessionDocumentKey('*');

/** Resolves true after a time, false as soon as the signal is given. */
const passes = (ms: number, signal: AbortSignal): Promise<boolean> => sleep(ms, true, { signal }).catch(() => false);

/**
 * Ends sessions that have been quiet for the idle time, by the server's clock. Every replica sweeps; what one of them left
 * half done, another one finishes.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private readonly stopping = new AbortController();
  private readonly idleMs: number;
  /** Documents that are over, by key: read once, not at every sweep until the bucket forgets them. */
  private over = new Map<string, number>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    settings: Settings,
    private readonly stores: Stores,
    private readonly sessions: Sessions,
    @Inject(Progress) private readonly progress: Pick<Progress, 'handledUntil'>,
  ) {
    this.idleMs = settings.session.idleMinutes * 60_000;
  }

  onApplicationBootstrap(): void {
    this.running = this.run();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  /** One look at every session. */
  async sweep(): Promise<void> {
    const quietSince = (await this.progress.handledUntil()) - this.idleMs;
    const listed = await this.stores.sessions.list(EVERY_SESSION);
    const over = new Map<string, number>();
    for (const { key, revision, writtenAt } of listed) {
      if (this.stopping.signal.aborted) return;
      if (writtenAt > quietSince) continue;
      const isOver = this.over.get(key) === revision || (await this.endUnlessOver(key, revision));
      if (isOver) over.set(key, revision);
    }
    this.over = over;
  }

  private async endUnlessOver(key: string, revision: number): Promise<boolean> {
    const stored = await this.stores.sessions.get(key);
    if (stored?.revision !== revision) return false;
    if (stored.value.state === 'announced') return true;
    await this.sessions.endQuiet(key.slice(sessionDocumentKey('').length), revision);
    return false;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const pause = Math.min(LONGEST_PAUSE_MS, this.idleMs / 10);
    while (await passes(jitter(pause), signal)) {
      try {
        await this.sweep();
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        this.logger.warn(`the sweep for quiet sessions failed (${name}) and will be tried again`);
      }
    }
  }
}
