/** Thrown when somebody has rated an answer that has not been stored yet. The same work may succeed later. */
export class TurnNotCompletedError extends Error {
  override readonly name = 'TurnNotCompletedError';
  readonly retryable = true;

  constructor(turnId: string) {
    super(`turn ${turnId} was rated before its answer was stored`);
  }
}
