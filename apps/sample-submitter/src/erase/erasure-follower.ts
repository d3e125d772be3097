import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { isRetryable } from '@app/bus';
import { errorName } from '@app/telemetry';
import { ConsoleIndex } from '../console/console-index';
import { Erasures, type RecentErasure } from './erasures';
import { SessionEraser } from './session-eraser';
import { StoredSessions } from './stored-sessions';

const LOOK_EVERY_MS = 2000;
/** At most a tenth of the time is spent looking, however much there is to look through. */
const REST_PER_LOOK = 9;

/** How everything stood: revision of the note, last sequences of the streams. */
interface Seen {
  readonly revision: number;
  readonly last: string;
}

/**
 * Erases what comes out after a session was erased: a verdict, an answer that was being streamed, a record. Every replica does,
 * for an hour: what is gone cannot be removed twice, and a replica that dies leaves nothing undone.
 */
@Injectable()
export class ErasureFollower implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('erase');
  private readonly closing = new AbortController();
  /** By session, as of the last look. */
  private seen: ReadonlyMap<string, Seen> = new Map();

  constructor(
    private readonly erasures: Erasures,
    private readonly eraser: SessionEraser,
    private readonly stored: StoredSessions,
    private readonly index: ConsoleIndex,
  ) {}

  onApplicationBootstrap(): void {
    void this.run();
  }

  beforeApplicationShutdown(): void {
    this.closing.abort();
  }

  private async run(): Promise<void> {
    const { signal } = this.closing;
    while (!signal.aborted) {
      const begun = performance.now();
      await this.look().catch((error: unknown) => {
        // While the bus is away nothing comes out.
        if (!isRetryable(error) && !signal.aborted)
          this.logger.warn(`erased sessions were not looked after: ${errorName(error)}`);
      });
      const restMs = Math.max(LOOK_EVERY_MS, REST_PER_LOOK * (performance.now() - begun));
      await sleep(restMs, undefined, { signal }).catch(() => undefined);
    }
  }

  private async look(): Promise<void> {
    const erasures = await this.erasures.recent();
    if (erasures.length === 0) {
      this.seen = new Map();
      return;
    }
    const last = JSON.stringify(await this.stored.lastSequences());
    const seen = new Map<string, Seen>();
    for (const each of erasures) {
      if (this.closing.signal.aborted) return;
      await this.lookAfter(each, last);
      seen.set(each.session, { revision: each.revision, last });
    }
    this.seen = seen;
  }

  private async lookAfter({ session, revision, erasure }: RecentErasure, last: string): Promise<void> {
    for (const turnId of erasure.turns) this.index.forget(turnId);
    const before = this.seen.get(session);
    if (before?.revision === revision && before.last === last) await this.eraser.removeRecords(session, erasure);
    else await this.eraser.followUp(session, erasure, before?.revision !== revision);
  }
}
