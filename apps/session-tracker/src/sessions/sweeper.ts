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
/** Each of so many sweeps also lists again what the ones before it have listed: a copy of the bucket may have left something out. */
const REVIEW_EVERY = 10;
const EVERY_SESSION = sessionDocumentKey('*');

/** A session that has not ended, as far as is known. */
interface Open {
  readonly writtenAt: number;
  /** How long a quiet ends it; null: nobody has looked at it yet. */
  readonly endsAfterMs: number | null;
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
  /** Revision up to which documents have been listed. */
  private listedThrough = 0;
  /** The same at the review before. */
  private reviewedThrough = 0;
  private lists = 0;

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
    const isBacklogIn = this.progress.upForMs() >= Math.min(BACKLOG_MS, this.idleMs);
    await this.list();
    for (const [key, at] of this.open) {
      if (this.background.isStopping) return;
      // Before the backlog of an outage is in, a session that goes on looks quiet.
      const quietMs = isBacklogIn ? now - at.writtenAt : 0;
      if (at.writtenAt > now || (at.endsAfterMs !== null && quietMs < at.endsAfterMs)) continue;
      const then = await this.look(key, isBacklogIn ? now : 0);
      if (then === null) this.open.delete(key);
      else this.open.set(key, then);
    }
  }

  private async list(): Promise<void> {
    const isReview = this.lists % REVIEW_EVERY === 0;
    const through = this.listedThrough;
    const listed = await this.stores.sessions.list(EVERY_SESSION, isReview ? this.reviewedThrough : through);
    this.lists += 1;
    if (isReview) this.reviewedThrough = through;
    for (const { key, revision, writtenAt } of listed) {
      this.listedThrough = Math.max(this.listedThrough, revision);
      if (writtenAt > (this.open.get(key)?.writtenAt ?? 0)) this.open.set(key, { writtenAt, endsAfterMs: null });
    }
  }

  /**
   * Ends a session if it has been quiet for long enough at a time, server's clock. Returns what is known of it then; null if it is
   * not open. It goes by the document alone: copies of a bucket have been seen to number what they list in different ways.
   */
  private async look(key: string, now: number): Promise<Open | null> {
    const stored = await this.stores.sessions.get(key);
    if (stored === null || stored.value.state === 'announced') return null;
    const { value: doc, revision, writtenAt } = stored;
    const session = key.slice(sessionDocumentKey('').length);
    const endsAfterMs = isAnswering(doc) ? Math.max(this.idleMs, this.answerMs) : this.idleMs;
    if (doc.state === 'ended' || isDue(doc)) await this.sessions.endDue(session);
    else if (now - writtenAt >= endsAfterMs) await this.sessions.endQuiet(session, revision);
    else return { writtenAt, endsAfterMs };
    // Whether it has ended is seen at the next sweep.
    return { writtenAt, endsAfterMs: null };
  }
}
