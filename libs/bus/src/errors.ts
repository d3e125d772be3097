/** Thrown when the bus cannot be reached, or did not answer in time. The same call may succeed later. */
export class BusUnavailableError extends Error {
  override readonly name = 'BusUnavailableError';
  readonly retryable = true;
}

/** Thrown when a document keeps changing under a compare-and-set update. The same call may succeed later. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
  readonly retryable = true;
}

/** Thrown when a message is larger than the server's `max_payload`. It will never fit. */
export class MessageTooLargeError extends Error {
  override readonly name = 'MessageTooLargeError';
  readonly retryable = false;
}

/**
 * Thrown by a handler that waits for something outside (a judge that is down, a full disk): the message comes back after
 * `delayMs`, as often as it takes. An outage delays work, it never drops it.
 */
export class OutageError extends Error {
  override readonly name = 'OutageError';

  constructor(
    message: string,
    readonly delayMs: number,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/**
 * Thrown by a handler whose message has overtaken what it needs: that is on its way, so the message comes back, and nobody is
 * told of a failure. The handler says itself when it has waited for long enough.
 */
export class NotYetError extends Error {
  override readonly name = 'NotYetError';
  readonly retryable = true;

  /** `delayMs` undefined: longer each time, as after a failure. */
  constructor(
    message: string,
    readonly delayMs?: number,
  ) {
    super(message);
  }
}

/** Whether an error says of itself that the same work may succeed later. */
export const isRetryable = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'retryable' in error && error.retryable === true;

/** Thrown when something was asked of the server and no answer came: a message may be stored or not. Inside the bus only. */
export class UnansweredError extends Error {
  override readonly name = 'UnansweredError';
}
