/** Thrown when a person's words are about an answer that was never stored. */
export class TurnNotCompletedError extends Error {
  override readonly name = 'TurnNotCompletedError';

  constructor(turnId: string) {
    super(`turn ${turnId} has feedback and was not completed in time`);
  }
}
