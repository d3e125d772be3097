import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Background, jitter } from '@app/bus';
import { Settings } from '@app/config';
import { errorName } from '@app/telemetry';
import { SessionOutcomes } from './session-outcomes';

const SHORTEST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 60_000;

/**
 * Settles turns that have waited long enough for their session's outcome, and those that a crash has left waiting. Every
 * replica sweeps: an outcome is made once, whoever is first.
 */
@Injectable()
export class OutcomeSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('outcomes');
  private readonly background: Background;
  /** When to look at a document that somebody waits in, milliseconds since 1970. */
  private readonly lookAt = new Map<string, number>();
  /** Revision up to which all documents have been listed. */
  private listedThrough = 0;

  constructor(
    settings: Settings,
    private readonly outcomes: SessionOutcomes,
  ) {
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, settings.reward.outcomeWaitS * 100);
    this.background = new Background(
      () => jitter(Math.min(LONGEST_PAUSE_MS, pauseMs)),
      () => this.sweep(),
      (error) => {
        this.logger.warn(
          `the sweep over turns that wait for an outcome failed (${errorName(error)}) and will be tried again`,
        );
      },
    );
  }

  onApplicationBootstrap(): void {
    this.background.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.background.stop();
  }

  /** One look at every document that has changed or whose time has come. @throws BusUnavailableError */
  async sweep(): Promise<void> {
    for (const { key, revision } of await this.outcomes.list(this.listedThrough)) {
      this.listedThrough = Math.max(this.listedThrough, revision);
      this.lookAt.set(key, 0);
    }
    const now = Date.now();
    for (const [key, at] of this.lookAt) {
      if (this.background.isStopping) return;
      if (now < at) continue;
      const next = await this.outcomes.look(key, now);
      if (next === null) this.lookAt.delete(key);
      else this.lookAt.set(key, next);
    }
  }
}
