/** Thrown when values do not make a sample: nothing is padded, cut or invented to make them fit. */
export class SampleInvariantError extends Error {
  override readonly name = 'SampleInvariantError';
  readonly retryable = false;

  constructor(
    /** The field that does not hold, `rollout_log_probs[3]` for instance. */
    readonly field: string,
    detail: string,
  ) {
    super(`sample: ${field} ${detail}`);
  }
}

/** Thrown when a sample was written by a newer version of this project than the one that reads it. */
export class SampleVersionError extends Error {
  override readonly name = 'SampleVersionError';
  readonly retryable = false;

  constructor(
    readonly found: number,
    readonly supported: number,
  ) {
    super(
      `sample: schema_version ${found} is newer than ${supported}, the newest this reader knows; update the reader`,
    );
  }
}
