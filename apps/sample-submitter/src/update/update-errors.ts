import { LeaseError } from '@app/pools';

/** Thrown when no engine of the policy could be asked for what an update needs. */
export class EnginesFailedError extends LeaseError {
  override readonly name = 'EnginesFailedError';
  override readonly retryable = true;
  readonly status = 502;
  readonly code = 'engines_failed';
}

/** Thrown when a commit names weights that no engine serves. */
export class WrongWeightsError extends LeaseError {
  override readonly name = 'WrongWeightsError';
  override readonly retryable = true;
  readonly status = 409;
  readonly code = 'engine_version_mismatch';

  constructor(expected: string, found: readonly (string | null)[]) {
    const names = [...new Set(found.map((version) => version ?? 'none'))].join(', ');
    super(`no engine serves the weights ${expected} (they serve: ${names}): load them, then commit again`);
  }
}

/** Thrown when a commit does not say which weights it is about. */
export class NoWeightsNamedError extends LeaseError {
  override readonly name = 'NoWeightsNamedError';
  readonly status = 400;
  readonly code = 'invalid_request';

  constructor() {
    super('a commit takes either engine_version, for weights that the engines have, or weights_path, for ones to load');
  }
}
