import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Background, jitter } from '@app/bus';
import { Settings } from '@app/config';
import { sessionDocumentKey } from '@app/contracts';
import { errorName } from '@app/telemetry';
import { Stores } from '../storage/stores';
import { Progress } from './progress';
import { isAnswering, isDue } from './session-state';
import { Sessions } from './sessions';

const LONGEST_PAUSE_MS = 60_000;
/** The longest that turns which gateways kept while the bus was away take to come in once it is back, in milliseconds. */
const BACKLOG_MS = 60_000;
const EVERY_SESSION = sessionDocumentKey('*');

/** A session that has not ended, as far as is known. */
interface Open {
  readonly revision: number;
  readonly writtenAt: number;
  /** How long a quiet ends it; null: nobody has looked at this revision yet. */
  endsAfterMs: number | null;
}

/**
 * Ends sessions that have been quiet for the idle time, by the server's clock, and ends that were left half done. A session
 * that is still being answered is quiet later: after the longest time that an answer may take. Every replica sweeps.
 */
@Injectable()
export class Sweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(Sweeper.name);
  private readonly idleMs: number;
  private readonly answerMs: number;
  private readonly background: Background;
  /** By key. What has ended is forgotten: it is listed again if it goes on. */
  private readonly open = new Map<string, Open>();
  /** Revision up to which all documents have been listed. */
  private listedThrough = 0;

  constructor(
    settings: Settings,
    private readonly stores: Stores,
    private readonly sessions: Sessions,
    @Inject(Progress) private readonly progress: Pick<Progress, 'handledUntil' | 'upForMs'>,
  ) {
    this.idleMs = settings.session.idleMinutes * 60_000;
    this.answerMs = settings.session.answerMinutes * 60_000;
    this.background = new Background(
      () => jitter(Math.min(LONGEST_PAUSE_MS, this.idleMs / 10)),
      () => this.sweep(),
      (error) => {
        this.logger.warn(`the sweep over the sessions failed (${errorName(error)}) and will be tried again`);
      },
    );
  }

  /** Sessions that the last sweep left open. */
  get openSessions(): number {
    return this.open.size;
  }

  onApplicationBootstrap(): void {
    this.background.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.background.stop();
  }

  /** One look at every open session. Events that nobody has handled yet may keep one open: their time counts as not passed. */
  async sweep(): Promise<void> {
    const now = await this.progress.handledUntil();
    // Before the backlog of an outage is in, a session that goes on looks quiet.
    const isBacklogIn = this.progress.upForMs() >= Math.min(BACKLOG_MS, this.idleMs);
    for (const { key, revision, writtenAt } of await this.stores.sessions.list(EVERY_SESSION, this.listedThrough)) {
      this.listedThrough = Math.max(this.listedThrough, revision);
      this.open.set(key, { revision, writtenAt, endsAfterMs: null });
    }
    for (const [key, at] of this.open) {
      if (this.background.isStopping) return;
      if (at.writtenAt > now) continue;
      const quietMs = isBacklogIn ? now - at.writtenAt : 0;
      if (at.endsAfterMs !== null && quietMs < at.endsAfterMs) continue;
      at.endsAfterMs = await this.look(key, { revision: at.revision, quietMs });
      if (at.endsAfterMs === null) this.open.delete(key);
    }
  }

  /** Ends a session if it is its time. Returns how long a quiet ends it, or null if it is not open, or no longer at this revision. */
  private async look(key: string, at: { readonly revision: number; readonly quietMs: number }): Promise<number | null> {
    const stored = await this.stores.sessions.get(key);
    if (stored?.revision !== at.revision) return null;
    const { value: doc, revision } = stored;
    const session = key.slice(sessionDocumentKey('').length);
    if (doc.state === 'announced') return null;
    const endsAfterMs = isAnswering(doc) ? Math.max(this.idleMs, this.answerMs) : this.idleMs;
    if (doc.state === 'ended' || isDue(doc)) await this.sessions.endDue(session);
    else if (at.quietMs < endsAfterMs) return endsAfterMs;
    else await this.sessions.endQuiet(session, revision);
    return null;
  }
}
