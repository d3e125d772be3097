/** Thrown when a person's words about an answer are there before the answer is stored. */
export class TurnNotCompletedError extends Error {
  override readonly name = 'TurnNotCompletedError';
  readonly retryable = true;

  constructor(turnId: string) {
    super(`turn ${turnId} has feedback but is not completed; its feedback waits`);
  }
}
