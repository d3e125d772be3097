import {
  LeaseErasedError,
  LeaseExpiredError,
  LeaseFinishedError,
  OutdatedViewError,
  RequestIdReusedError,
  TooManyLeasesError,
  TooManyTrainersError,
  UnknownLeaseError,
} from './lease-error';
import { ackLease, extendLease, MAX_LEASES, nackLease, takeLease, type LeaseRequest } from './leases';
import { INITIAL_POLICY_STATE, parsePolicyState, type PolicyState } from './policy-state';
import { expandRanges } from './ranges';
import { dropSamples, leasedSequences, markDone, nextExpiry, waitingSequences, type SampleView } from './sample-view';

const NOW = 1_000_000;
const viewOf = (samples: number[], seenUpTo = Math.max(0, ...samples)): SampleView => ({
  samples,
  seenUpTo,
  streamCreatedAt: 1,
});
const view = viewOf([2, 3, 7, 8, 12]);

const lease = (state: PolicyState, request: Partial<LeaseRequest> = {}, now = NOW, maxTrainers = 4) =>
  takeLease(
    state,
    { requestId: 'r1', leaseId: 'l1', trainer: 'a', asked: '3', max: 3, min: 1, leaseMs: 1000, ...request },
    { now, view, maxTrainers, maxStaleness: 2 },
  );

describe('takeLease', () => {
  it('hands out the oldest samples, and the next ones to the next trainer', () => {
    const first = lease(INITIAL_POLICY_STATE);
    expect(expandRanges(first.result!.sequences)).toEqual([2, 3, 7]);
    expect(first.result).toMatchObject({ leaseId: 'l1', expiresAt: NOW + 1000, version: 0 });
    const second = lease(first.state, { requestId: 'r2', leaseId: 'l2', trainer: 'b' });
    expect(expandRanges(second.result!.sequences)).toEqual([8, 12]);
    expect(leasedSequences(second.state, NOW)).toEqual([2, 3, 7, 8, 12]);
    expect(waitingSequences(second.state, view, NOW)).toEqual([]);
  });

  it('gives nothing, and writes nothing, when fewer than the least number wait', () => {
    const change = lease(INITIAL_POLICY_STATE, { min: 6 });
    expect(change).toEqual({ state: INITIAL_POLICY_STATE, result: null });
    expect(change.state).toBe(INITIAL_POLICY_STATE);
  });

  it('hands out what is at most two updates behind, and counts what is older', () => {
    const versions = new Map([2, 3, 7, 8, 12].map((sequence, version) => [sequence, version]));
    const aged = { ...view, versionOf: (sequence: number) => versions.get(sequence) };
    const request = { requestId: 'r1', leaseId: 'l1', trainer: 'a', asked: '', max: 9, min: 3, leaseMs: 1000 };
    const context = { now: NOW, view: aged, maxTrainers: 1 };
    const state: PolicyState = { ...INITIAL_POLICY_STATE, version: 4 };
    const taken = takeLease(state, request, { ...context, maxStaleness: 2 });
    expect(expandRanges(taken.result!.sequences)).toEqual([7, 8, 12]);
    expect(taken.state).toMatchObject({ stale: 2, acknowledged: 0 });
    expect(waitingSequences(taken.state, aged, NOW + 1000)).toEqual([7, 8, 12]);

    const tooFew = takeLease(state, request, { ...context, maxStaleness: 1 });
    expect(tooFew.result).toBeNull();
    expect(tooFew.state.stale).toBe(3);
    expect(takeLease(state, request, { ...context, maxStaleness: 4 }).state.stale).toBeUndefined();
  });

  it('answers a repeated request the same, without a second lease', () => {
    const first = lease(INITIAL_POLICY_STATE);
    const again = lease(first.state, { leaseId: 'other' });
    expect(again).toEqual(first);
    expect(again.state).toBe(first.state);
  });

  it('gives two trainers that count their requests alike a lease each', () => {
    const first = lease(INITIAL_POLICY_STATE);
    const second = lease(first.state, { leaseId: 'l2', trainer: 'b' });
    expect(expandRanges(second.result!.sequences)).toEqual([8, 12]);
    const acked = ackLease(second.state, { requestId: 'r2', leaseId: 'l1', trainer: 'address' }, view).state;
    expect(ackLease(acked, { requestId: 'r2', leaseId: 'l2', trainer: 'address' }, view).result.samples).toBe(2);
    expect(() => lease(second.state, { asked: '4' })).toThrow(RequestIdReusedError);
  });

  it("answers a repeated request with no samples that are, or may be, somebody else's", () => {
    const { state } = lease(INITIAL_POLICY_STATE);
    expect(lease(state, {}, NOW + 999).result?.leaseId).toBe('l1');
    expect(() => lease(state, {}, NOW + 1000)).toThrow(LeaseExpiredError);
    const taken = lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'b' }, NOW + 1000).state;
    expect(() => lease(taken, {}, NOW + 1001)).toThrow(LeaseExpiredError);
    const acked = ackLease(state, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view).state;
    expect(() => lease(acked)).toThrow(LeaseFinishedError);
  });

  it('refuses one more trainer than allowed, not one more lease of the same trainer', () => {
    const { state } = lease(INITIAL_POLICY_STATE, { max: 1 });
    expect(() => lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'b' }, NOW, 1)).toThrow(TooManyTrainersError);
    expect(lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'a' }, NOW, 1).result).not.toBeNull();
    expect(lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'b' }, NOW + 1000, 1).result).not.toBeNull();
  });

  it('hands out again what was leased until its end, not a moment before', () => {
    const { state } = lease(INITIAL_POLICY_STATE, { max: 5 });
    expect(lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'a' }, NOW + 999).result).toBeNull();
    expect(nextExpiry(state, NOW)).toBe(NOW + 1000);
    expect(nextExpiry(state, NOW + 1000)).toBeNull();
    const after = lease(state, { requestId: 'r2', leaseId: 'l2', trainer: 'a' }, NOW + 1000);
    expect(after.state.leases.map(({ id }) => id)).toEqual(['l2']);
  });

  it('has a bound on the leases in the document', () => {
    const samples = Array.from({ length: MAX_LEASES + 1 }, (_, i) => i + 1);
    let state = INITIAL_POLICY_STATE;
    const take = (i: number) =>
      takeLease(
        state,
        { requestId: `r${i}`, leaseId: `l${i}`, trainer: 'a', asked: '', max: 1, min: 1, leaseMs: 1000 },
        { now: NOW, view: viewOf(samples), maxTrainers: 1, maxStaleness: 2 },
      );
    for (let i = 0; i < MAX_LEASES; i += 1) ({ state } = take(i));
    expect(() => take(MAX_LEASES)).toThrow(TooManyLeasesError);
  });
});

describe('ackLease', () => {
  const leased = lease(INITIAL_POLICY_STATE).state;

  it('finishes the samples for good and closes the gaps that hold none', () => {
    const { state, result } = ackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view);
    expect(result).toMatchObject({ operation: 'ack', leaseId: 'l1', samples: 3 });
    expect(state.leases).toEqual([]);
    expect(state.acknowledged).toBe(3);
    expect(state.done).toEqual([[1, 7]]);
    expect(waitingSequences(state, view, NOW)).toEqual([8, 12]);
  });

  it('does not close a gap that the follower has not seen yet', () => {
    const { state } = ackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, viewOf([2, 3], 4));
    expect(state.done).toEqual([
      [1, 3],
      [7, 7],
    ]);
  });

  it('is answered again when repeated, and refused under another request id', () => {
    const first = ackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view);
    expect(ackLease(first.state, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view)).toEqual(first);
    expect(() => ackLease(first.state, { requestId: 'r3', leaseId: 'l1', trainer: 'a' }, view)).toThrow(
      LeaseFinishedError,
    );
  });

  it('holds after the end of the lease until one of its samples is handed out again', () => {
    expect(ackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view).state.done).toEqual([[1, 7]]);
    const taken = lease(leased, { requestId: 'r2', leaseId: 'l2', trainer: 'b' }, NOW + 5000).state;
    expect(() => ackLease(taken, { requestId: 'r3', leaseId: 'l1', trainer: 'a' }, view)).toThrow(LeaseExpiredError);
    expect(() => nackLease(taken, { requestId: 'r3', leaseId: 'l1', trainer: 'a' })).toThrow(LeaseExpiredError);
  });

  it('knows no lease that was never given', () => {
    expect(() => ackLease(leased, { requestId: 'r2', leaseId: 'none', trainer: 'a' }, view)).toThrow(UnknownLeaseError);
  });

  it('refuses a request id that was used for something else', () => {
    expect(() => ackLease(leased, { requestId: 'r1', leaseId: 'l1', trainer: 'a' }, view)).toThrow(
      RequestIdReusedError,
    );
    const acked = ackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view).state;
    expect(() => ackLease(acked, { requestId: 'r2', leaseId: 'l9', trainer: 'a' }, view)).toThrow(RequestIdReusedError);
    expect(() => lease(acked, { requestId: 'r2' })).toThrow(RequestIdReusedError);
  });
});

describe('nackLease and extendLease', () => {
  const leased = lease(INITIAL_POLICY_STATE).state;

  it('let the samples wait again, or later', () => {
    const back = nackLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a' });
    expect(waitingSequences(back.state, view, NOW)).toEqual([2, 3, 7, 8, 12]);
    expect(nackLease(back.state, { requestId: 'r2', leaseId: 'l1', trainer: 'a' })).toEqual(back);

    const longer = extendLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a', leaseMs: 9000 }, NOW + 500);
    expect(longer.result.expiresAt).toBe(NOW + 9500);
    expect(waitingSequences(longer.state, view, NOW + 9499)).toEqual([8, 12]);
    const again = { requestId: 'r2', leaseId: 'l1', trainer: 'a', leaseMs: 9000 };
    expect(extendLease(longer.state, again, NOW + 600)).toEqual(longer);
    expect(() => extendLease(longer.state, { ...again, leaseMs: 1 }, NOW + 600)).toThrow(RequestIdReusedError);
  });

  it('are answered again however often others extend their leases', () => {
    const both = lease(leased, { requestId: 'r1', leaseId: 'l2', trainer: 'b' }).state;
    const acked = ackLease(both, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view);
    let { state } = acked;
    for (let i = 0; i < 100; i += 1) {
      const request = { requestId: `e${i}`, leaseId: 'l2', trainer: 'b', leaseMs: 1000 };
      ({ state } = extendLease(state, request, NOW));
      expect(extendLease(state, request, NOW).state).toBe(state);
    }
    expect(ackLease(state, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view).result).toEqual(acked.result);
    expect(lease(state, { requestId: 'r1', leaseId: 'l3', trainer: 'b' }).result?.leaseId).toBe('l2');
  });

  it('do not bring an ended lease back to life', () => {
    expect(() => extendLease(leased, { requestId: 'r2', leaseId: 'l1', trainer: 'a', leaseMs: 1 }, NOW + 1000)).toThrow(
      LeaseExpiredError,
    );
  });
});

describe('the policy state', () => {
  it('forgets leases and finished samples with the stream that they were of', () => {
    const acked = ackLease(
      lease(INITIAL_POLICY_STATE).state,
      { requestId: 'r2', leaseId: 'l1', trainer: 'a' },
      view,
    ).state;
    const replaced = { ...viewOf([1, 2]), streamCreatedAt: 2 };
    expect(waitingSequences(acked, replaced, NOW)).toEqual([1, 2]);
    const next = markDone(acked, [1], replaced);
    expect(next).toMatchObject({ done: [[1, 1]], leases: [], answers: [], streamCreatedAt: 2 });
    expect(() => markDone(next, [8], view)).toThrow(OutdatedViewError);
  });

  it('takes samples that are gone out of every lease', () => {
    const state = dropSamples(lease(INITIAL_POLICY_STATE).state, [2, 3], view);
    expect(state.leases.map(({ sequences }) => sequences)).toEqual([[[7, 7]]]);
    expect(dropSamples(state, [7], view)).toMatchObject({ leases: [], acknowledged: 0 });
    expect(waitingSequences(state, view, NOW + 9999)).toEqual([7, 8, 12]);
  });

  it('says of a lease without samples that they were erased, whatever is asked of it', () => {
    const state = dropSamples(lease(INITIAL_POLICY_STATE).state, [2, 3, 7], view);
    const onLease = { requestId: 'r2', leaseId: 'l1', trainer: 'a' };
    expect(() => ackLease(state, onLease, view)).toThrow(LeaseErasedError);
    expect(() => nackLease(state, onLease)).toThrow(LeaseErasedError);
    expect(() => extendLease(state, { ...onLease, leaseMs: 1 }, NOW)).toThrow(LeaseErasedError);
    expect(() => lease(state)).toThrow(LeaseErasedError);
    expect(parsePolicyState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });

  it('acknowledges what is left of a lease', () => {
    const state = dropSamples(lease(INITIAL_POLICY_STATE).state, [2, 3], view);
    expect(ackLease(state, { requestId: 'r2', leaseId: 'l1', trainer: 'a' }, view).result.samples).toBe(1);
  });

  it('reads back what was written, with a gate that was set', () => {
    const gate = { state: 'updating', until: 5, holder: 'a' } as const;
    const state: PolicyState = { ...lease(INITIAL_POLICY_STATE).state, gate };
    expect(parsePolicyState(JSON.parse(JSON.stringify(state)))).toEqual(state);
  });
});
