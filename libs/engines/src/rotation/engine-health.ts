export interface HealthOptions {
  /** Failures in a row, of calls or of checks, that make an engine sick. */
  readonly failures: number;
  /** For how long it rests at least, in milliseconds. */
  readonly restMs: number;
}

/**
 * Whether an engine is in order, by how its calls and the checks on it end. A sick one is well again once a check has passed
 * and its rest is over; until a call has succeeded, a single failure then makes it sick again.
 * It knows no clock: times are handed in, in milliseconds from any origin.
 */
export class EngineHealth {
  private failedCalls = 0;
  private failedChecks = 0;
  private restsUntil: number | null = null;

  constructor(private readonly options: HealthOptions) {}

  get isSick(): boolean {
    return this.restsUntil !== null;
  }

  noteCall(succeeded: boolean, now: number): void {
    if (succeeded) {
      this.failedCalls = 0;
      this.restsUntil = null;
      return;
    }
    this.failedCalls += 1;
    if (this.failedCalls >= this.options.failures) this.rest(now + this.options.restMs);
  }

  noteCheck(passed: boolean, now: number): void {
    if (!passed) {
      this.failedChecks += 1;
      // Who does not even answer is back as soon as it does.
      if (this.failedChecks >= this.options.failures) this.rest(now);
      return;
    }
    this.failedChecks = 0;
    if (this.restsUntil === null || now < this.restsUntil) return;
    this.restsUntil = null;
    this.failedCalls = Math.min(this.failedCalls, this.options.failures - 1);
  }

  private rest(until: number): void {
    this.restsUntil ??= until;
  }
}
