/** A request that the engine refuses, or that its script fails, with an HTTP status. */
export class EngineRequestError extends Error {
  override readonly name = 'EngineRequestError';

  constructor(
    readonly status: number,
    message: string,
    readonly param: string | null = null,
  ) {
    super(message);
  }
}

/** The script wants the answer to fail here: in a stream by an event, also before its first token. */
export class ScriptedFailureError extends EngineRequestError {}

/** The script wants the connection cut here. */
export class ConnectionCutError extends Error {
  override readonly name = 'ConnectionCutError';
}
