import { Breaker, type BreakerOptions, type CallOutcome } from './breaker';

/** One of several engines, its breaker, and how many calls it is busy with. */
interface Candidate<Engine> {
  readonly engine: Engine;
  readonly breaker: Breaker;
  running: number;
}

/** A call that may be made. Its end has to be told with `settle`. */
export interface Admission<Engine> {
  readonly engine: Engine;
  readonly passage: 'go' | 'probe';
}

/** Which engine is asked. */
export interface Wish<Engine> {
  /** One that has just failed: another one, if there is one. */
  readonly besides?: Engine | undefined;
  /** Those that go before others whose breakers are closed as well. @default all */
  readonly preferred?: readonly Engine[] | undefined;
}

/** How a call ended. */
export interface CallEnd {
  readonly outcome: CallOutcome;
  readonly now: number;
  /** How long the engine asked to be left alone, in milliseconds. */
  readonly atLeastMs: number;
}

/** Those that pass; all, where none does. */
const orAll = <Each>(all: readonly Each[], passes: (each: Each) => boolean): readonly Each[] => {
  const some = all.filter(passes);
  return some.length > 0 ? some : all;
};

/**
 * Which of a pool's engines is asked next: of those whose breakers are closed the one with the least to do. One that may be
 * back is tried first, by one call. Knows no clock, as its breakers.
 */
export class EngineChoice<Engine> {
  private readonly candidates: readonly Candidate<Engine>[];

  /** @param engines at least one */
  constructor(
    engines: readonly Engine[],
    options: BreakerOptions,
    private readonly onChange: (engine: Engine, open: boolean) => void = () => undefined,
  ) {
    this.candidates = engines.map((engine) => ({ engine, breaker: new Breaker(options), running: 0 }));
  }

  /** Whether all of them are taken to be out of order. */
  get isOpen(): boolean {
    return this.candidates.every(({ breaker }) => breaker.isOpen);
  }

  /** Calls under way. */
  get running(): number {
    return this.candidates.reduce((sum, { running }) => sum + running, 0);
  }

  /** How long no call will be let through to any; 0 if one would be. */
  waitMs(now: number): number {
    return Math.min(...this.candidates.map(({ breaker }) => breaker.waitMs(now)));
  }

  /** Whether one of them is taken to be out of order. */
  get hasSick(): boolean {
    return this.candidates.some(({ breaker }) => breaker.isOpen);
  }

  /** How long no call will be let through to some of them; 0 if one would be to each. */
  longestWaitMs(now: number): number {
    return Math.max(...this.candidates.map(({ breaker }) => breaker.waitMs(now)));
  }

  /** Nobody has asked for long: what was found then says nothing of now. */
  forget(): void {
    for (const { engine, breaker } of this.candidates) {
      const wasOpen = breaker.isOpen;
      breaker.forget();
      if (breaker.isOpen !== wasOpen) this.onChange(engine, false);
    }
  }

  /** Asks to make a call. */
  admit(now: number, { besides, preferred }: Wish<Engine> = {}): Admission<Engine> | 'wait' | 'stop' {
    const closed = this.candidates.filter(({ breaker }) => !breaker.isOpen);
    let mustWait = false;
    for (const candidate of this.candidates) {
      if (!candidate.breaker.isOpen || candidate.breaker.waitMs(now) > 0) continue;
      if (candidate.breaker.admit(now) === 'probe') return this.begin(candidate, 'probe');
      mustWait = true;
    }
    const best = orAll(closed, ({ engine }) => preferred?.includes(engine) ?? true);
    const [first, ...rest] = orAll(best, ({ engine }) => engine !== besides);
    if (first === undefined) return mustWait ? 'wait' : 'stop';
    return this.begin(
      rest.reduce((least, each) => (each.running < least.running ? each : least), first),
      'go',
    );
  }

  settle({ engine, passage }: Admission<Engine>, { outcome, now, atLeastMs }: CallEnd): void {
    const candidate = this.candidates.find((each) => each.engine === engine);
    if (candidate === undefined) return;
    candidate.running -= 1;
    const wasOpen = candidate.breaker.isOpen;
    candidate.breaker.settle(passage, outcome, now, atLeastMs);
    if (candidate.breaker.isOpen !== wasOpen) this.onChange(engine, !wasOpen);
  }

  private begin(candidate: Candidate<Engine>, passage: 'go' | 'probe'): Admission<Engine> {
    candidate.running += 1;
    return { engine: candidate.engine, passage };
  }
}
