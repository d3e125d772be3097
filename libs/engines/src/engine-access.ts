import { setTimeout as pause } from 'node:timers/promises';
import type { Breaker, CallOutcome } from './breaker';
import { BreakerOpenError, EngineError } from './engine-errors';
import type { Limiter } from './limiter';
import { backoffMs, type RetryPolicy } from './retry';

export interface EngineAccessOptions {
  readonly limiter: Limiter;
  readonly breaker: Breaker;
  readonly retry: RetryPolicy;
  /** A random factor around 1 for each pause. */
  readonly spread: () => number;
  /** Milliseconds from any origin, never going back. @default performance.now */
  readonly clock?: () => number;
  /** Told of every call that failed, before it is repeated. */
  readonly onFailure?: (error: EngineError) => void;
  /** Told when the breaker opens and closes. */
  readonly onBreaker?: (open: boolean) => void;
}

export interface AskOptions<Reply> {
  /** Gives everything up: places in the queue, pauses; the call itself has to look at it too. */
  readonly signal: AbortSignal;
  /** Whether the reply will do. One that will not is asked for again; the last one is returned as it is. */
  readonly accept: (reply: Reply) => boolean;
}

const outcomeOf = (error: unknown): CallOutcome => {
  if (!(error instanceof EngineError)) return 'unknown';
  return error.outage ? 'down' : 'up';
};

/** The way to one engine for all calls of a process: limit, breaker and retries in one place. */
export class EngineAccess {
  private readonly clock: () => number;
  private probe: Probe | null = null;
  private wasOpen = false;

  constructor(private readonly options: EngineAccessOptions) {
    this.clock = options.clock ?? (() => performance.now());
  }

  /** Whether the engine is taken to be out of order. */
  get isOpen(): boolean {
    return this.options.breaker.isOpen;
  }

  /** How long no call will be made, in milliseconds; 0 if one would be. */
  pauseMs(): number {
    return this.options.breaker.waitMs(this.clock());
  }

  /**
   * Makes a call, again after a pause if it failed in a way that may pass, again at once if the reply will not do, up to
   * the attempts of the policy. A place is held during a call only, not during a pause.
   *
   * @throws BreakerOpenError without a call while the engine is taken to be out of order, else what the last call threw
   */
  async ask<Reply>(call: (attempt: number) => Promise<Reply>, { signal, accept }: AskOptions<Reply>): Promise<Reply> {
    const { retry, spread } = this.options;
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= retry.attempts;
      try {
        const reply = await this.callOnce(() => call(attempt), signal);
        if (isLast || accept(reply)) return reply;
      } catch (error) {
        if (isLast || signal.aborted || !(error instanceof EngineError) || !error.retryable) throw error;
        const delayMs = backoffMs(retry, { attempt, retryAfterMs: error.retryAfterMs, spread: spread() });
        await pause(delayMs, undefined, { signal });
      }
    }
  }

  private callOnce<Reply>(call: () => Promise<Reply>, signal: AbortSignal): Promise<Reply> {
    return this.options.limiter.run(async () => {
      const passage = await this.pass(signal);
      try {
        const reply = await call();
        this.settle(passage, 'up', 0);
        return reply;
      } catch (error) {
        if (error instanceof EngineError) this.options.onFailure?.(error);
        const atLeastMs = error instanceof EngineError ? (error.retryAfterMs ?? 0) : 0;
        this.settle(passage, signal.aborted ? 'unknown' : outcomeOf(error), atLeastMs);
        throw error;
      }
    }, signal);
  }

  private async pass(signal: AbortSignal): Promise<'go' | 'probe'> {
    for (;;) {
      signal.throwIfAborted();
      const passage = this.options.breaker.admit(this.clock());
      switch (passage) {
        case 'stop':
          throw new BreakerOpenError(this.pauseMs());
        case 'wait':
          await this.probe?.ended;
          break;
        case 'probe':
          this.probe = startProbe();
          return passage;
        case 'go':
          return passage;
      }
    }
  }

  private settle(passage: 'go' | 'probe', outcome: CallOutcome, atLeastMs: number): void {
    const { breaker, onBreaker } = this.options;
    breaker.settle(passage, outcome, this.clock(), atLeastMs);
    if (passage === 'probe') this.probe?.end();
    if (breaker.isOpen === this.wasOpen) return;
    this.wasOpen = breaker.isOpen;
    onBreaker?.(this.wasOpen);
  }
}

interface Probe {
  readonly ended: Promise<void>;
  readonly end: () => void;
}

const startProbe = (): Probe => {
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { ended, end };
};
