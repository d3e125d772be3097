import { answerOf, remember } from './answers';
import {
  LeaseErasedError,
  LeaseExpiredError,
  LeaseFinishedError,
  TooManyLeasesError,
  TooManyTrainersError,
  UnknownLeaseError,
} from './lease-error';
import type { Lease, LeaseAnswer, PolicyState } from './policy-state';
import { expandRanges, toRanges, type Ranges } from './ranges';
import { forStream, isLive, markDone, staleSequences, waitingSequences, type SampleView } from './sample-view';

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
  /** Identity of the trainer: its requests are its own, and its leases count as one trainer's. */
  readonly trainer: string;
  /** What the trainer wrote it wants, in one text. `min` is lower when the time to wait is over, and this is not. */
  readonly asked: string;
  readonly max: number;
  readonly min: number;
  readonly leaseMs: number;
}

/** A lease as it was answered, with the samples that it holds. */
export interface TakenLease extends LeaseAnswer {
  readonly sequences: Readonly<Ranges>;
}

export interface LeaseContext {
  /** Server's clock, milliseconds. */
  readonly now: number;
  readonly view: SampleView;
  /** Trainers that may hold live leases at once. */
  readonly maxTrainers: number;
  /** Weight updates that a sample may be behind. */
  readonly maxStaleness: number;
}

/** A request about one lease. */
export interface OnLease {
  readonly requestId: string;
  readonly leaseId: string;
  /** Identity of who asks. A request about a lease that is known counts as one of the lease's trainer. */
  readonly trainer: string;
}

/** Samples that are too old for any trainer are finished, and counted. */
const leaveOut = (state: PolicyState, tooOld: readonly number[], view: SampleView): PolicyState => ({
  ...markDone(state, tooOld, view),
  stale: (state.stale ?? 0) + tooOld.length,
});

/**
 * Leases the oldest waiting samples, at most `max`; with fewer than `min` waiting there is no lease and the result is null.
 * An ended lease stays good until one of its samples is handed out again: then it is taken out. A repeated request gets its
 * lease again while that holds, never samples that are, or may be, somebody else's. What is too old is not handed out.
 * @throws RequestIdReusedError, LeaseExpiredError, LeaseFinishedError, TooManyTrainersError, TooManyLeasesError
 */
export const takeLease = (
  stored: PolicyState,
  request: LeaseRequest,
  { now, view, maxTrainers, maxStaleness }: LeaseContext,
): Change<TakenLease | null> => {
  const state = forStream(stored, view);
  const repeated = answerOf(state, { ...request, operation: 'lease' });
  if (repeated !== null) {
    const { sequences } = liveLeaseOf(state, repeated.leaseId, now);
    return { state: stored, result: { ...repeated, sequences } };
  }
  const trainers = new Set(state.leases.filter((lease) => isLive(lease, now)).map((lease) => lease.trainer));
  if (!trainers.has(request.trainer) && trainers.size >= maxTrainers) throw new TooManyTrainersError(trainers.size);
  const stale = new Set(staleSequences(state, view, maxStaleness));
  const waiting = waitingSequences(state, view, now);
  const tooOld = waiting.filter((sequence) => stale.has(sequence));
  const picked = waiting.filter((sequence) => !stale.has(sequence)).slice(0, request.max);
  const fresh = tooOld.length === 0 ? state : leaveOut(state, tooOld, view);
  if (picked.length < Math.max(1, request.min)) return { state: fresh === state ? stored : fresh, result: null };

  const taken = new Set(picked);
  const untouched = fresh.leases.filter(
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
    trainer: request.trainer,
    operation: 'lease',
    asked: request.asked,
    leaseId: lease.id,
    samples: picked.length,
    expiresAt: lease.expiresAt,
    version: state.version,
  };
  return { state: remember({ ...fresh, leases: [...kept, lease] }, answer), result: { ...answer, sequences } };
};

const leaseOf = (state: PolicyState, leaseId: string): Lease => {
  const lease = state.leases.find((each) => each.id === leaseId);
  if (lease !== undefined) return lease;
  const known = state.answers.filter((answer) => answer.leaseId === leaseId);
  if (known.length === 0) throw new UnknownLeaseError(leaseId);
  if (known.some(({ operation }) => operation === 'ack' || operation === 'nack')) throw new LeaseFinishedError(leaseId);
  if (known.some(({ erased }) => erased === true)) throw new LeaseErasedError(leaseId);
  throw new LeaseExpiredError(leaseId);
};

/** A lease that holds. @throws UnknownLeaseError, LeaseErasedError, LeaseExpiredError, LeaseFinishedError */
export const liveLeaseOf = (state: PolicyState, leaseId: string, now: number): Lease => {
  const lease = leaseOf(state, leaseId);
  if (!isLive(lease, now)) throw new LeaseExpiredError(lease.id);
  return lease;
};

/** Everything about an answer that the request says already. */
type Asked = Pick<LeaseAnswer, 'requestId' | 'trainer' | 'operation' | 'asked' | 'leaseId'>;

const askedOn = (
  state: PolicyState,
  { requestId, leaseId, trainer }: OnLease,
  operation: 'ack' | 'nack' | 'extend',
  parameters = '',
): Asked => {
  const known = [
    ...state.leases.filter(({ id }) => id === leaseId),
    ...state.answers.filter((a) => a.leaseId === leaseId),
  ];
  return { requestId, trainer: known[0]?.trainer ?? trainer, operation, asked: `${leaseId} ${parameters}`, leaseId };
};

const endLease = (
  state: PolicyState,
  asked: Asked,
): { readonly change: Change<LeaseAnswer>; readonly sequences: Readonly<Ranges> } => {
  const lease = leaseOf(state, asked.leaseId);
  const answer: LeaseAnswer = {
    ...asked,
    samples: expandRanges(lease.sequences).length,
    version: state.version,
  };
  const leases = state.leases.filter((each) => each !== lease);
  return { change: { state: remember({ ...state, leases }, answer), result: answer }, sequences: lease.sequences };
};

/**
 * Acknowledges a lease: its samples have been trained on and are finished. Also after its end, as long as none of its
 * samples has been handed out again: what was trained is acknowledged.
 * @throws LeaseErasedError, LeaseExpiredError, LeaseFinishedError, UnknownLeaseError, RequestIdReusedError
 */
export const ackLease = (stored: PolicyState, request: OnLease, view: SampleView): Change<LeaseAnswer> => {
  const state = forStream(stored, view);
  const asked = askedOn(state, request, 'ack');
  const repeated = answerOf(state, asked);
  if (repeated !== null) return { state: stored, result: repeated };
  const { change, sequences } = endLease(state, asked);
  const done = markDone(change.state, expandRanges(sequences), view);
  return { ...change, state: { ...done, acknowledged: done.acknowledged + change.result.samples } };
};

/** Gives a lease back: its samples wait again. @throws as `ackLease`. */
export const nackLease = (stored: PolicyState, request: OnLease): Change<LeaseAnswer> => {
  const asked = askedOn(stored, request, 'nack');
  const repeated = answerOf(stored, asked);
  return repeated === null ? endLease(stored, asked).change : { state: stored, result: repeated };
};

/** Lets a live lease end `leaseMs` from now. @throws as `ackLease`, and LeaseExpiredError for one that has ended. */
export const extendLease = (
  stored: PolicyState,
  request: OnLease & { readonly leaseMs: number },
  now: number,
): Change<LeaseAnswer> => {
  const asked = askedOn(stored, request, 'extend', String(request.leaseMs));
  const repeated = answerOf(stored, asked);
  if (repeated !== null) return { state: stored, result: repeated };
  const lease = liveLeaseOf(stored, request.leaseId, now);
  const expiresAt = now + request.leaseMs;
  const answer: LeaseAnswer = {
    ...asked,
    samples: expandRanges(lease.sequences).length,
    expiresAt,
    version: stored.version,
  };
  const leases = stored.leases.map((each) => (each === lease ? { ...lease, expiresAt } : each));
  return { state: remember({ ...stored, leases }, answer), result: answer };
};
