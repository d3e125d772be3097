import { setTimeout as pause } from 'node:timers/promises';
import type { BreakerOptions, CallOutcome } from './breaker';
import { EngineChoice, type Admission } from './engine-choice';
import { BreakerOpenError, EngineError } from './engine-errors';
import type { Limiter } from './limiter';
import { backoffMs, type RetryPolicy } from './retry';

/** What keeps calls away from engines whose weights are being changed. */
export interface AccessGate {
  readonly isClosed: boolean;
  /** How often it has closed: calls during which it did prove nothing about an engine. */
  readonly closings: number;
  /** Resolves once it is open; rejects with the signal's reason. */
  whenOpen(signal: AbortSignal): Promise<void>;
}

export interface EngineAccessOptions<Engine> {
  /** At least one; calls are shared out among them. */
  readonly engines: readonly Engine[];
  readonly limiter: Limiter;
  /** Those that are to be asked, as long as one of them can be. @default all */
  readonly preferred?: () => readonly Engine[];
  /** Of each engine. */
  readonly breaker: BreakerOptions;
  readonly retry: RetryPolicy;
  /** A random factor around 1 for each pause. */
  readonly spread: () => number;
  /** How long after the breaker's time it stays open where nobody asks, in milliseconds. @default 60,000 */
  readonly forgetMs?: number;
  /** Milliseconds from any origin, never going back. @default performance.now */
  readonly clock?: () => number;
  /** @default always open */
  readonly gate?: AccessGate | null;
  /** Told of every call that failed, before it is repeated. */
  readonly onFailure?: (error: EngineError, engine: Engine) => void;
  /** Told when the last engine's breaker opens, and when the first one's closes. */
  readonly onBreaker?: (open: boolean) => void;
  /** Told when an engine's breaker opens and closes. */
  readonly onEngine?: (engine: Engine, open: boolean) => void;
}

export interface AskOptions<Reply> {
  /** Gives everything up: places in the queue, pauses; the call itself has to look at it too. */
  readonly signal: AbortSignal;
  /** Whether the reply will do. One that will not is asked for again; the last one is returned as it is. */
  readonly accept: (reply: Reply) => boolean;
}

const FORGET_MS = 60_000;

const outcomeOf = (error: unknown): CallOutcome => {
  if (!(error instanceof EngineError)) return 'unknown';
  return error.outage ? 'down' : 'up';
};

const ALWAYS_OPEN: AccessGate = { isClosed: false, closings: 0, whenOpen: () => Promise.resolve() };

/** A call, and whether the gate was closed while it ran. */
type Attempt<Engine, Reply> = { readonly engine: Engine; readonly isDisturbed: boolean } & (
  { readonly reply: Reply } | { readonly error: unknown }
);

/** The way to the engines of a pool for all calls of a process: choice, limit, breakers, gate and retries in one place. */
export class EngineAccess<Engine> {
  private readonly clock: () => number;
  private readonly gate: AccessGate;
  private readonly choice: EngineChoice<Engine>;
  private readonly probes = new Map<Admission<Engine>, Probe>();
  private wasOpen = false;
  private forgetting: NodeJS.Timeout | null = null;

  constructor(private readonly options: EngineAccessOptions<Engine>) {
    this.clock = options.clock ?? (() => performance.now());
    this.gate = options.gate ?? ALWAYS_OPEN;
    this.choice = new EngineChoice(options.engines, options.breaker, options.onEngine);
  }

  /** Whether the engines are taken to be out of order. */
  get isOpen(): boolean {
    return this.choice.isOpen;
  }

  /** Calls under way. */
  get running(): number {
    return this.choice.running;
  }

  /** How long no call will be made because of failures, in milliseconds; 0 if one would be. */
  pauseMs(): number {
    return this.choice.waitMs(this.clock());
  }

  /**
   * Makes a call, again after a pause if it failed in a way that may pass, at another engine if there is one, again at once if
   * the reply will not do, up to the attempts of the policy. A place is held during a call only, not during a pause. While
   * the gate is closed calls wait, and one that it has closed upon is made again, whatever came of it but a reply that will do.
   *
   * @throws BreakerOpenError without a call while all engines are taken to be out of order, else what the last call threw
   */
  async ask<Reply>(call: (engine: Engine) => Promise<Reply>, { signal, accept }: AskOptions<Reply>): Promise<Reply> {
    const { retry, spread } = this.options;
    let failed: Engine | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const made = await this.callOnce(call, signal, failed);
      if ('reply' in made && accept(made.reply)) return made.reply;
      if (made.isDisturbed && !signal.aborted) {
        attempt -= 1;
        continue;
      }
      const isLast = attempt >= retry.attempts;
      if ('reply' in made) {
        if (isLast) return made.reply;
        continue;
      }
      const { error } = made;
      if (isLast || signal.aborted || !(error instanceof EngineError) || !error.retryable) throw error;
      failed = made.engine;
      const delayMs = backoffMs(retry, { attempt, retryAfterMs: error.retryAfterMs, spread: spread() });
      await pause(delayMs, undefined, { signal });
    }
  }

  private callOnce<Reply>(
    call: (engine: Engine) => Promise<Reply>,
    signal: AbortSignal,
    besides: Engine | undefined,
  ): Promise<Attempt<Engine, Reply>> {
    return this.options.limiter.run(async () => {
      const admission = await this.pass(signal, besides);
      const { engine } = admission;
      const { closings } = this.gate;
      const isDisturbed = (): boolean => this.gate.isClosed || this.gate.closings !== closings;
      try {
        const reply = await call(engine);
        this.settle(admission, 'up', 0);
        return { engine, reply, isDisturbed: isDisturbed() };
      } catch (error) {
        const isKnown = error instanceof EngineError;
        if (isKnown && !isDisturbed()) this.options.onFailure?.(error, engine);
        const outcome = signal.aborted || isDisturbed() ? 'unknown' : outcomeOf(error);
        this.settle(admission, outcome, isKnown ? (error.retryAfterMs ?? 0) : 0);
        return { engine, error, isDisturbed: isKnown && isDisturbed() };
      }
    }, signal);
  }

  private async pass(signal: AbortSignal, besides: Engine | undefined): Promise<Admission<Engine>> {
    for (;;) {
      signal.throwIfAborted();
      while (this.gate.isClosed) await this.gate.whenOpen(signal);
      const admission = this.choice.admit(this.clock(), { besides, preferred: this.options.preferred?.() });
      if (admission === 'stop') throw new BreakerOpenError(this.pauseMs());
      if (admission === 'wait') {
        await Promise.race([...this.probes.values()].map(({ ended }) => ended));
        continue;
      }
      if (admission.passage === 'probe') this.probes.set(admission, startProbe());
      return admission;
    }
  }

  private settle(admission: Admission<Engine>, outcome: CallOutcome, atLeastMs: number): void {
    this.choice.settle(admission, { outcome, now: this.clock(), atLeastMs });
    this.probes.get(admission)?.end();
    this.probes.delete(admission);
    this.tell();
    this.forgetLater();
  }

  private tell(): void {
    if (this.choice.isOpen === this.wasOpen) return;
    this.wasOpen = this.choice.isOpen;
    this.options.onBreaker?.(this.wasOpen);
  }

  /** Where others have done the work that was left, nobody asks here any more, and the outage would seem to last for ever. */
  private forgetLater(): void {
    if (this.forgetting !== null) clearTimeout(this.forgetting);
    this.forgetting = null;
    if (!this.choice.hasSick) return;
    const { forgetMs = FORGET_MS } = this.options;
    const forget = (): void => {
      this.choice.forget();
      this.tell();
    };
    this.forgetting = setTimeout(forget, this.choice.longestWaitMs(this.clock()) + forgetMs).unref();
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
