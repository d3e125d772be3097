/** Thrown when the end of a session has to wait for events that were published before it. */
export class EarlierEventsPendingError extends Error {
  override readonly name = 'EarlierEventsPendingError';
  readonly retryable = true;

  constructor(sequence: number) {
    super(`events before sequence ${sequence} are still being handled; the session's end comes after them`);
  }
}
