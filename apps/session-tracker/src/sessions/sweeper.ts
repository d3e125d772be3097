import {
  Inject,
  Injectable,
  Logger,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { jitter } from '@app/bus';
import { Settings } from '@app/config';
import { sessionDocumentKey, type SessionDocument } from '@app/contracts';
import { Background } from '../storage/background';
import { Stores } from '../storage/stores';
import { Progress } from './progress';
import { isAnswering, isDue } from './session-state';
import { Sessions } from './sessions';

const LONGEST_PAUSE_MS = 60_000;
/** The longest that turns which gateways kept while the bus was away take to come in once it is back, in milliseconds. */
const BACKLOG_MS = 60_000;
const EVERY_SESSION = sessionDocumentKey('*');

/** What one look at a session gave: until it has been quiet for that long, this revision needs no second one. */
interface Look {
  readonly revision: number;
  readonly endsAfterMs: number;
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
  /** Revisions that were looked at and have nothing to end, by key. */
  private seen = new Map<string, Look>();

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
        const name = error instanceof Error ? error.name : typeof error;
        this.logger.warn(`the sweep over the sessions failed (${name}) and will be tried again`);
      },
    );
  }

  onApplicationBootstrap(): void {
    this.background.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.background.stop();
  }

  /** One look at every session. Events that nobody has handled yet may keep a session open: their time counts as not passed. */
  async sweep(): Promise<void> {
    const now = await this.progress.handledUntil();
    // Before the backlog of an outage is in, a session that goes on looks quiet.
    const isBacklogIn = this.progress.upForMs() >= Math.min(BACKLOG_MS, this.idleMs);
    const seen: typeof this.seen = new Map();
    for (const { key, revision, writtenAt } of await this.stores.sessions.list(EVERY_SESSION)) {
      if (this.background.isStopping) return;
      if (writtenAt > now) continue;
      const quietMs = isBacklogIn ? now - writtenAt : 0;
      const before = this.seen.get(key);
      const isKnown = before?.revision === revision && quietMs < before.endsAfterMs;
      const after = isKnown ? before : await this.look(key, { revision, quietMs });
      if (after !== null) seen.set(key, after);
    }
    this.seen = seen;
  }

  /** Ends a session if it is its time. Returns what is to be remembered of a session that needs nothing. */
  private async look(key: string, at: { readonly revision: number; readonly quietMs: number }): Promise<Look | null> {
    const stored = await this.stores.sessions.get(key);
    if (stored?.revision !== at.revision) return null;
    const { value: doc, revision } = stored;
    const session = key.slice(sessionDocumentKey('').length);
    const endsAfterMs = this.endsAfterMs(doc);
    if (doc.state === 'ended' || isDue(doc)) await this.sessions.endDue(session);
    else if (at.quietMs < endsAfterMs) return { revision, endsAfterMs };
    else await this.sessions.endQuiet(session, revision);
    return null;
  }

  /** After how long a quiet a session ends; one that is over never does. */
  private endsAfterMs(doc: SessionDocument): number {
    if (doc.state === 'announced') return Infinity;
    return isAnswering(doc) ? Math.max(this.idleMs, this.answerMs) : this.idleMs;
  }
}
