/** A request at the trainer's door that the state of the leases does not allow. */
export abstract class LeaseError extends Error {
  readonly retryable: boolean = false;
  /** HTTP status of the refusal. */
  abstract readonly status: number;
  /** The refusal in one word, for programs. */
  abstract readonly code: string;
}

/** Thrown for a lease id that was never given, or that ended so long ago that nothing is known of it. */
export class UnknownLeaseError extends LeaseError {
  override readonly name = 'UnknownLeaseError';
  readonly status = 404;
  readonly code = 'unknown_lease';

  constructor(leaseId: string) {
    super(`lease ${leaseId} is not known: it was never given, or it ended long ago; lease again`);
  }
}

/** Thrown when a lease's time is over and its samples are, or may be, somebody else's. */
export class LeaseExpiredError extends LeaseError {
  override readonly name = 'LeaseExpiredError';
  readonly status = 409;
  readonly code = 'lease_expired';

  constructor(leaseId: string) {
    super(`lease ${leaseId} has expired: drop its samples and lease again, with a longer lease_ms or with extend`);
  }
}

/** Thrown for a lease all of whose samples have been erased with their sessions: nothing of it is to be trained on. */
export class LeaseErasedError extends LeaseError {
  override readonly name = 'LeaseErasedError';
  readonly status = 409;
  readonly code = 'lease_erased';

  constructor(leaseId: string) {
    super(`the samples of lease ${leaseId} have been erased with their sessions: drop them and lease again`);
  }
}

/** Thrown when a lease has been acknowledged or given back already, under another request id. */
export class LeaseFinishedError extends LeaseError {
  override readonly name = 'LeaseFinishedError';
  readonly status = 409;
  readonly code = 'lease_finished';

  constructor(leaseId: string) {
    super(`lease ${leaseId} has been acknowledged or given back already`);
  }
}

/** Thrown when a trainer's request id comes with another operation, lease or parameters than the first time. */
export class RequestIdReusedError extends LeaseError {
  override readonly name = 'RequestIdReusedError';
  readonly status = 409;
  readonly code = 'request_id_reused';

  constructor(requestId: string, operation: string) {
    super(`request id ${requestId} was used for another request (${operation}): take a new one for each request`);
  }
}

/** Thrown when as many trainers hold leases as the settings allow. */
export class TooManyTrainersError extends LeaseError {
  override readonly name = 'TooManyTrainersError';
  readonly status = 429;
  readonly code = 'too_many_trainers';

  constructor(trainers: number) {
    super(`${trainers} trainers hold leases, more are not allowed (slime.num_workers)`);
  }
}

/** Thrown when there are so many leases that the shared document would grow without bound. */
export class TooManyLeasesError extends LeaseError {
  override readonly name = 'TooManyLeasesError';
  readonly status = 429;
  readonly code = 'too_many_leases';

  constructor(leases: number) {
    super(`${leases} leases are held: acknowledge some, or take more samples with each`);
  }
}

/** Thrown when a replica still follows a stream of samples that has been replaced: it has to look again first. */
export class OutdatedViewError extends LeaseError {
  override readonly name = 'OutdatedViewError';
  override readonly retryable = true;
  readonly status = 503;
  readonly code = 'stream_replaced';

  constructor() {
    super('the stream of samples has been replaced, and this replica has not seen the new one yet: try again');
  }
}
