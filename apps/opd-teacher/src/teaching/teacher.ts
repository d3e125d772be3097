import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Settings } from '@app/config';
import { EngineError, Limiter, type ChatToRender, type ScoreRequest, type Scores } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { ModelGate, ModelPool } from '@app/voting';
import { findTeacher, isUnsuited, teacherCandidates, type FoundTeacher, type TeacherSeat } from '@app/teacher';

const LOOK_AGAIN_MS = 1000;
/** Until engines that were not in order are asked again. */
const LOOK_FOR_MORE_MS = 10_000;
const NOT_FOUND_PAUSE_MS = 100;
/** While the gate is closed it is looked at again after so long. */
const GATE_PAUSE_MS = 250;
const TELL_AGAIN_MS = 60_000;
/** Calls in flight, cheap ones included; those that score have a limit of their own. */
const CALLS_AT_ONCE = 64;

/** `none`: no engine has been found that can. `paused`: it fails again and again. */
export type TeacherState = 'up' | 'paused' | 'none';

/** Thrown when the teacher is asked before it has been found. */
export class NoTeacherYetError extends EngineError {
  override readonly name = 'NoTeacherYetError';
  readonly retryable = false;
  readonly outage = true;
}

/** The teacher as a server: found at start, and asked with everything that keeps an outage from doing harm. */
@Injectable()
export class Teacher implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly scoring: Limiter;
  private readonly closing = new AbortController();
  private readonly logger = new Logger('teacher');
  private found: FoundTeacher | null = null;
  /** Its engines, once there are any. */
  private pool: ModelPool<TeacherSeat> | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
    private readonly gates: ModelGate,
  ) {
    this.scoring = new Limiter(settings.opd.teacherConcurrency);
  }

  /** Calls under way. */
  get running(): number {
    return this.pool?.access.running ?? 0;
  }

  get state(): TeacherState {
    if (this.pool === null) return 'none';
    return this.pool.access.isOpen ? 'paused' : 'up';
  }

  /** The teacher's model, as its server calls it; null before it is found. */
  get model(): string | null {
    return this.found?.model ?? null;
  }

  /** For how many milliseconds nothing can be scored; 0 if something could be. */
  pauseMs(): number {
    if (this.found === null || this.pool === null) return NOT_FOUND_PAUSE_MS;
    return Math.max(this.pool.access.pauseMs(), this.gates.of(this.found.urls)?.isClosed === true ? GATE_PAUSE_MS : 0);
  }

  onApplicationBootstrap(): void {
    void this.look();
  }

  beforeApplicationShutdown(): void {
    this.closing.abort();
    this.pool?.stop();
  }

  /** Tokens of a text. @throws EngineError */
  async countTokens(text: string, signal: AbortSignal): Promise<number> {
    return (await this.ask(({ client }) => client.tokenizeText(text, signal), signal)).length;
  }

  /** A chat as the teacher's engine renders it. @throws EngineError */
  render(chat: ChatToRender, signal: AbortSignal): Promise<Int32Array> {
    return this.ask(({ client }) => client.tokenizeChat(chat, signal), signal);
  }

  /** Log-probs of given tokens. @throws EngineError, IncompleteScoresError */
  async score(request: ScoreRequest, signal: AbortSignal): Promise<Scores> {
    const start = performance.now();
    const scores = await this.ask(
      ({ client }) => this.scoring.run(() => client.score(request, signal), signal),
      signal,
    );
    this.telemetry.metrics.teacherSeconds.observe((performance.now() - start) / 1000);
    return scores;
  }

  private ask<Reply>(call: (seat: TeacherSeat) => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
    if (this.pool === null) return Promise.reject(new NoTeacherYetError('the teacher has not been found yet'));
    return this.pool.access.ask(call, { signal, accept: () => true });
  }

  /** Takes engines for the teacher that have been proved to be. */
  private take(found: FoundTeacher): void {
    const { settings, telemetry, gates } = this;
    if (gates.of(found.urls) !== null) gates.join(this);
    this.found = found;
    this.logger.log(`${found.model} at ${found.seats.map(({ name }) => name).join(', ')} is the teacher`);
    this.pool?.stop();
    this.pool = new ModelPool<TeacherSeat>(
      {
        pool: 'teacher',
        seats: found.seats,
        concurrency: CALLS_AT_ONCE,
        onBreaker: (open) => {
          telemetry.metrics.teacherBreakerOpen.set(open ? 1 : 0);
          if (open) this.logger.warn('hints wait: the teacher fails again and again');
          else this.logger.log('hints go on: the teacher answers again');
        },
      },
      { settings, telemetry, gates },
    );
    this.pool.watch();
  }

  /** Looks until there is a teacher, with all its engines: they may come up later than this app. */
  private async look(): Promise<void> {
    const { signal } = this.closing;
    let told = '';
    let toldAt = 0;
    const isClosing = (): boolean => signal.aborted;
    while (!isClosing()) {
      try {
        // An engine that stands still would prove nothing.
        const urls = teacherCandidates(this.settings).flatMap((candidate) => candidate.urls);
        await this.gates.of(urls)?.whenOpen(signal);
        const found = await findTeacher(this.settings, signal);
        if (found.seats.length !== this.found?.seats.length) this.take(found);
        if (found.seats.length === found.urls.length) return;
        await sleep(LOOK_FOR_MORE_MS, undefined, { signal }).catch(() => undefined);
      } catch (error) {
        if (isClosing()) return;
        const text = `no teacher: ${error instanceof Error ? error.message : 'unknown'}`;
        if (text !== told || performance.now() - toldAt > TELL_AGAIN_MS) {
          if (isUnsuited(error)) this.logger.error(text);
          else this.logger.warn(`${text}; trying on until it answers`);
          [told, toldAt] = [text, performance.now()];
        }
        await sleep(LOOK_AGAIN_MS, undefined, { signal }).catch(() => undefined);
      }
    }
  }
}
