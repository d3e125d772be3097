/** What every failed call of an engine says of itself. */
export abstract class EngineError extends Error {
  /** Whether the same call may succeed a little later. */
  abstract readonly retryable: boolean;
  /** Whether the engine is to be taken as out of order, not the request: work waits instead of being given up. */
  abstract readonly outage: boolean;
  /** The engine's own wish how long to wait, in milliseconds. */
  readonly retryAfterMs: number | null = null;
}

/** Thrown when an engine did not answer in full within the time limit. */
export class EngineTimeoutError extends EngineError {
  override readonly name = 'EngineTimeoutError';
  readonly retryable = true;
  readonly outage = true;

  constructor(readonly timeoutMs: number) {
    super(`the engine did not answer within ${timeoutMs} ms`);
  }
}

/** Thrown when no connection could be made, or it broke before the answer was complete. */
export class EngineUnreachableError extends EngineError {
  override readonly name = 'EngineUnreachableError';
  readonly retryable = true;
  readonly outage = true;
}

/** Thrown when something answered that is no chat completion: a proxy's page, an error under status 200, half a body. */
export class EngineAnswerError extends EngineError {
  override readonly name = 'EngineAnswerError';
  readonly retryable = true;
  readonly outage = true;
}

const RETRYABLE = new Set([408, 425, 429]);
/** A wrong key, model, URL or account: the operator has to mend something, every request fails alike. */
const MISCONFIGURED = new Set([401, 402, 403, 404, 405, 407]);

/**
 * Thrown when an engine answered with an error status. Its text is left out: engines quote the request in it.
 * 400, 413, 422 and the like are about this one request (`outage` false); nothing is gained by asking again.
 */
export class EngineStatusError extends EngineError {
  override readonly name = 'EngineStatusError';
  readonly retryable: boolean;
  readonly outage: boolean;

  constructor(
    readonly status: number,
    override readonly retryAfterMs: number | null = null,
  ) {
    super(`the engine answered with status ${status}`);
    this.retryable = RETRYABLE.has(status) || status >= 500;
    this.outage = this.retryable || MISCONFIGURED.has(status) || status < 400;
  }

  /** The operator has to mend a setting; waiting alone does not help. */
  get misconfigured(): boolean {
    return this.outage && !this.retryable;
  }
}

/** Thrown without a call being made, because recent ones have shown that the engine is out of order. */
export class BreakerOpenError extends EngineError {
  override readonly name = 'BreakerOpenError';
  readonly retryable = false;
  readonly outage = true;

  constructor(override readonly retryAfterMs: number) {
    super(`calls of the engine are paused for another ${Math.round(retryAfterMs)} ms`);
  }
}

/** Thrown when an engine did not take new weights. */
export class EngineLoadError extends EngineError {
  override readonly name = 'EngineLoadError';
  readonly retryable = false;
  readonly outage = false;
}
