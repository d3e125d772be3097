import { LeaseError } from './lease-error';

/** Thrown when another trainer updates the weights at the moment. */
export class UpdateInProgressError extends LeaseError {
  override readonly name = 'UpdateInProgressError';
  readonly status = 409;
  readonly code = 'update_in_progress';

  constructor(holder: string, secondsLeft: number) {
    super(`trainer ${holder} is updating the weights, for another ${secondsLeft} s at most: try again after that`);
  }
}

/** Thrown when an update has ended without a commit, or is somebody else's by now: nothing of it may be committed. */
export class UpdateEndedError extends LeaseError {
  override readonly name = 'UpdateEndedError';
  readonly status = 409;
  readonly code = 'update_ended';

  constructor(how: string) {
    super(`this update has ended (${how}): begin another one`);
  }
}

/** Thrown for a token that was never given, or of an update so long ago that nothing is known of it. */
export class UnknownUpdateError extends LeaseError {
  override readonly name = 'UnknownUpdateError';
  readonly status = 404;
  readonly code = 'unknown_update';

  constructor() {
    super('this token is of no update: begin one with POST /v1/policy/updates');
  }
}

/** Thrown when a commit comes before the engines stand still. */
export class UpdateNotReadyError extends LeaseError {
  override readonly name = 'UpdateNotReadyError';
  override readonly retryable = true;
  readonly status = 409;
  readonly code = 'update_not_ready';

  constructor() {
    super('the engines have not been stopped for this update yet: repeat the request that began it, then commit');
  }
}

/** Thrown while nobody has found out yet what became of the last update. */
export class UpdateUnresolvedError extends LeaseError {
  override readonly name = 'UpdateUnresolvedError';
  override readonly retryable = true;
  readonly status = 503;
  readonly code = 'update_unresolved';

  constructor() {
    super('the last update is being brought to its end: try again');
  }
}

/** Thrown when an update begins with samples that have become too old to be trained on. */
export class StaleLeaseError extends LeaseError {
  override readonly name = 'StaleLeaseError';
  readonly status = 409;
  readonly code = 'lease_stale';

  constructor(leaseId: string, samples: number) {
    super(
      `lease ${leaseId} holds ${samples} samples that are older than rl.max_staleness allows: give it back and lease again`,
    );
  }
}
