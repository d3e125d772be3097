import {
  LeaseExpiredError,
  LeaseFinishedError,
  RequestIdReusedError,
  TooManyLeasesError,
  TooManyTrainersError,
  UnknownLeaseError,
} from './lease-error';
import type { Lease, LeaseAnswer, PolicyState } from './policy-state';
import { expandRanges, toRanges } from './ranges';
import { forStream, isLive, markDone, waitingSequences, type SampleView } from './sample-view';

/** Requests that are answered again when repeated. */
export const REMEMBERED_ANSWERS = 16;
/** Leases in the document, ended ones included that nobody has taken over. */
export const MAX_LEASES = 256;

/** Result of a pure operation. The state is the same object where nothing is to be written. */
export interface Change<Result> {
  readonly state: PolicyState;
  readonly result: Result;
}

export interface LeaseRequest {
  readonly requestId: string;
  /** Id of the lease, if it comes to one. */
  readonly leaseId: string;
  readonly trainer: string;
  readonly max: number;
  readonly min: number;
  readonly leaseMs: number;
}

export interface LeaseContext {
  /** Server's clock, milliseconds. */
  readonly now: number;
  readonly view: SampleView;
  /** Trainers that may hold live leases at once. */
  readonly maxTrainers: number;
}

/** A request about one lease. */
export interface OnLease {
  readonly requestId: string;
  readonly leaseId: string;
}

const answerOf = (
  state: PolicyState,
  operation: LeaseAnswer['operation'],
  on: Partial<OnLease>,
): LeaseAnswer | null => {
  const answer = state.answers.find((each) => each.requestId === on.requestId);
  if (answer === undefined) return null;
  if (answer.operation !== operation || (operation !== 'lease' && answer.leaseId !== on.leaseId)) {
    throw new RequestIdReusedError(answer.requestId, `${answer.operation} of lease ${answer.leaseId}`);
  }
  return answer;
};

const remember = (state: PolicyState, answer: LeaseAnswer): PolicyState => ({
  ...state,
  answers: [...state.answers, answer].slice(-REMEMBERED_ANSWERS),
});

/**
 * Leases the oldest waiting samples, at most `max`; with fewer than `min` waiting there is no lease and the result is null.
 * An ended lease stays good until one of its samples is handed out again: then it is taken out.
 * @throws RequestIdReusedError, TooManyTrainersError, TooManyLeasesError
 */
export const takeLease = (
  stored: PolicyState,
  request: LeaseRequest,
  { now, view, maxTrainers }: LeaseContext,
): Change<LeaseAnswer | null> => {
  const state = forStream(stored, view);
  const repeated = answerOf(state, 'lease', request);
  if (repeated !== null) return { state: stored, result: repeated };
  const trainers = new Set(state.leases.filter((lease) => isLive(lease, now)).map((lease) => lease.trainer));
  if (!trainers.has(request.trainer) && trainers.size >= maxTrainers) throw new TooManyTrainersError(trainers.size);
  const picked = waitingSequences(state, view, now).slice(0, request.max);
  if (picked.length < Math.max(1, request.min)) return { state: stored, result: null };

  const taken = new Set(picked);
  const untouched = state.leases.filter(
    (lease) => isLive(lease, now) || !expandRanges(lease.sequences).some((sequence) => taken.has(sequence)),
  );
  const kept = untouched.length < MAX_LEASES ? untouched : untouched.filter((lease) => isLive(lease, now));
  if (kept.length >= MAX_LEASES) throw new TooManyLeasesError(kept.length);
  const sequences = toRanges(picked);
  const lease: Lease = {
    id: request.leaseId,
    trainer: request.trainer,
    sequences,
    expiresAt: now + request.leaseMs,
  };
  const answer: LeaseAnswer = {
    requestId: request.requestId,
    operation: 'lease',
    leaseId: lease.id,
    sequences,
    expiresAt: lease.expiresAt,
    version: state.version,
  };
  return { state: remember({ ...state, leases: [...kept, lease] }, answer), result: answer };
};

const leaseOf = (state: PolicyState, leaseId: string): Lease => {
  const lease = state.leases.find((each) => each.id === leaseId);
  if (lease !== undefined) return lease;
  const known = state.answers.filter((answer) => answer.leaseId === leaseId);
  if (known.length === 0) throw new UnknownLeaseError(leaseId);
  if (known.some(({ operation }) => operation === 'ack' || operation === 'nack')) throw new LeaseFinishedError(leaseId);
  throw new LeaseExpiredError(leaseId);
};

const endLease = (state: PolicyState, request: OnLease, operation: 'ack' | 'nack'): Change<LeaseAnswer> => {
  const lease = leaseOf(state, request.leaseId);
  const answer: LeaseAnswer = {
    requestId: request.requestId,
    operation,
    leaseId: lease.id,
    sequences: lease.sequences,
    version: state.version,
  };
  const leases = state.leases.filter((each) => each !== lease);
  return { state: remember({ ...state, leases }, answer), result: answer };
};

/**
 * Acknowledges a lease: its samples have been trained on and are finished. Also after its end, as long as none of its
 * samples has been handed out again: what was trained is acknowledged.
 * @throws LeaseExpiredError, LeaseFinishedError, UnknownLeaseError, RequestIdReusedError
 */
export const ackLease = (stored: PolicyState, request: OnLease, view: SampleView): Change<LeaseAnswer> => {
  const state = forStream(stored, view);
  const repeated = answerOf(state, 'ack', request);
  if (repeated !== null) return { state: stored, result: repeated };
  const ended = endLease(state, request, 'ack');
  return { ...ended, state: markDone(ended.state, expandRanges(ended.result.sequences), view) };
};

/** Gives a lease back: its samples wait again. @throws as `ackLease`. */
export const nackLease = (stored: PolicyState, request: OnLease): Change<LeaseAnswer> => {
  const repeated = answerOf(stored, 'nack', request);
  return repeated === null ? endLease(stored, request, 'nack') : { state: stored, result: repeated };
};

/** Lets a live lease end `leaseMs` from now. @throws as `ackLease`, and LeaseExpiredError for one that has ended. */
export const extendLease = (
  stored: PolicyState,
  request: OnLease & { readonly leaseMs: number },
  now: number,
): Change<LeaseAnswer> => {
  const repeated = answerOf(stored, 'extend', request);
  if (repeated !== null) return { state: stored, result: repeated };
  const lease = leaseOf(stored, request.leaseId);
  if (!isLive(lease, now)) throw new LeaseExpiredError(lease.id);
  const expiresAt = now + request.leaseMs;
  const answer: LeaseAnswer = {
    requestId: request.requestId,
    operation: 'extend',
    leaseId: lease.id,
    sequences: lease.sequences,
    expiresAt,
    version: stored.version,
  };
  const leases = stored.leases.map((each) => (each === lease ? { ...lease, expiresAt } : each));
  return { state: remember({ ...stored, leases }, answer), result: answer };
};
