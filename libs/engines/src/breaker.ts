export interface BreakerOptions {
  /** Failures in a row that open it. */
  readonly failures: number;
  /** How long it stays open, in milliseconds. */
  readonly openMs: number;
}

/** `go`: make the call. `probe`: make it, everybody waits for how it ends. `wait`: a probe is under way. `stop`: open. */
export type Passage = 'go' | 'probe' | 'wait' | 'stop';

/** How a call ended. `unknown`: it was given up before it could show anything. */
export type CallOutcome = 'up' | 'down' | 'unknown';

/**
 * Circuit breaker: after some failures in a row no call is made for a while, then one finds out whether the engine is back.
 * It knows no clock: times are handed in, in milliseconds from any origin.
 */
export class Breaker {
  private failures = 0;
  private openUntil: number | null = null;
  private probing = false;

  constructor(private readonly options: BreakerOptions) {}

  /** Open, or not yet found to be in order again. */
  get isOpen(): boolean {
    return this.openUntil !== null;
  }

  /** How long no call will be let through; 0 if one would be. */
  waitMs(now: number): number {
    return Math.max(0, (this.openUntil ?? now) - now);
  }

  /** Asks to make a call. After `go` and `probe` its end has to be told with `settle`. */
  admit(now: number): Passage {
    if (this.openUntil === null) return 'go';
    if (now < this.openUntil) return 'stop';
    if (this.probing) return 'wait';
    this.probing = true;
    return 'probe';
  }

  /**
   * Takes down how a call ended. One that was under way when the breaker opened counts too: its success closes it.
   *
   * @param atLeastMs how long the engine asked to be left alone
   */
  settle(passage: 'go' | 'probe', outcome: CallOutcome, now: number, atLeastMs = 0): void {
    if (passage === 'probe') this.probing = false;
    if (outcome === 'unknown') return;
    if (outcome === 'up') {
      this.failures = 0;
      this.openUntil = null;
      return;
    }
    this.failures += 1;
    const lateFailure = passage === 'go' && this.openUntil !== null;
    if (lateFailure || this.failures < this.options.failures) return;
    this.openUntil = now + Math.max(this.options.openMs, atLeastMs);
  }

  /** Nobody has asked for long: what was found then says nothing of now. */
  forget(): void {
    if (this.probing) return;
    this.failures = 0;
    this.openUntil = null;
  }
}
