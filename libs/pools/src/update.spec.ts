import { LeaseExpiredError, RequestIdReusedError, UnknownLeaseError } from './lease-error';
import { takeLease } from './leases';
import { INITIAL_POLICY_STATE, isGateClosed, parsePolicyState, type PolicyState } from './policy-state';
import { expandRanges } from './ranges';
import { waitingSequences, type SampleView } from './sample-view';
import {
  abortUpdate,
  beginUpdate,
  commitUpdate,
  expiredUpdateOf,
  extendUpdate,
  finishUpdate,
  nameWeights,
  recoverUpdate,
  REMEMBERED_UPDATES,
  startUpdating,
  type UpdateRequest,
} from './update';
import {
  StaleLeaseError,
  UnknownUpdateError,
  UpdateEndedError,
  UpdateInProgressError,
  UpdateNotReadyError,
  UpdateUnresolvedError,
} from './update-error';

const NOW = 1_000_000;
const view: SampleView = { samples: [1, 2, 3], seenUpTo: 3, streamCreatedAt: 1, versionOf: () => 0 };
const context = { now: NOW, view };

const leased = takeLease(
  INITIAL_POLICY_STATE,
  { requestId: 'r', leaseId: 'l1', trainer: 'a', asked: '', max: 2, min: 1, leaseMs: 500 },
  { now: NOW, view, maxTrainers: 1, maxStaleness: 2 },
).state;

const begin = (state: PolicyState, request: Partial<UpdateRequest> = {}, now = NOW) =>
  beginUpdate(
    state,
    { requestId: 'u1', trainer: 'a', asked: 'l1', leaseIds: ['l1'], leaseMs: 1000, secret: 's', ...request },
    { now, view, maxStaleness: null },
  );
const begun = begin(leased).state;
const standing = startUpdating(begun, { token: '1-s', pause: 'in_place', engineVersion: 'default' }, NOW).state;
const commit = (state: PolicyState, change: { token?: string; engineVersion?: string | null } = {}, now = NOW) =>
  commitUpdate(state, { token: '1-s', engineVersion: 'v1', metrics: { loss: 0.5 }, ...change }, { now, view });
const committed = commit(standing).state;

describe('an update', () => {
  it('knows where its weights were loaded from, whoever ends it, and keeps the place of the old ones where it fails', () => {
    const named = nameWeights(standing, { token: '1-s', weightsPath: '/w/1' }, NOW).state;
    expect(named.weightsPath).toBeUndefined();
    expect(commit(named).state.weightsPath).toBe('/w/1');
    const late = { now: NOW + 1000, view };
    const [isIn, isNot] = ['v1', null].map(
      (newVersion) => recoverUpdate({ ...named, weightsPath: '/w/0' }, { token: '1-s', newVersion }, late).state,
    );
    expect([isIn?.weightsPath, isNot?.weightsPath]).toEqual(['/w/1', '/w/0']);
    expect(() => nameWeights(named, { token: '2-s', weightsPath: '/w/2' }, NOW)).toThrow(UnknownUpdateError);
  });

  it('closes the gate, stops, and opens it with the next version and its batch trained, in one write', () => {
    expect(begin(leased).result).toEqual({ token: '1-s', version: 1, expiresAt: NOW + 1000, state: 'draining' });
    expect(isGateClosed(begun, NOW)).toBe(true);
    expect(standing).toMatchObject({ version: 0, engineVersion: 'default', gate: { state: 'updating' } });
    expect(committed).toMatchObject({
      version: 1,
      engineVersion: 'v1',
      gate: { state: 'serving' },
      leases: [],
      acknowledged: 2,
      done: [[1, 2]],
      unfinished: { token: '1-s', endedAt: NOW, metrics: { loss: 0.5 } },
    });
    expect(committed.history).toEqual([
      {
        token: '1-s',
        requestId: 'u1',
        trainer: 'a',
        outcome: 'committed',
        version: 1,
        engineVersion: 'v1',
        startedAt: NOW,
        endedAt: NOW,
        samples: 2,
      },
    ]);
    expect(parsePolicyState(JSON.parse(JSON.stringify(committed)))).toEqual(committed);
  });

  it('answers repeated requests the same, and writes nothing', () => {
    expect(begin(begun).state).toBe(begun);
    expect(begin(standing).result).toMatchObject({ token: '1-s', state: 'updating' });
    expect(startUpdating(standing, { token: '1-s', pause: 'retract', engineVersion: null }, NOW).state).toBe(standing);
    expect(commit(committed).state).toBe(committed);
    expect(commit(committed).result.version).toBe(1);
    expect(() => begin(begun, { asked: 'l2' })).toThrow(RequestIdReusedError);
  });

  it('refuses a second trainer, and says whom it waits for', () => {
    expect(() => begin(begun, { trainer: 'b', requestId: 'u2' })).toThrow(UpdateInProgressError);
    expect(() => begin(begun, { trainer: 'b', requestId: 'u2' })).toThrow('trainer a is updating the weights');
  });

  it('begins only with leases that hold', () => {
    expect(() => begin(leased, { leaseIds: ['other'] })).toThrow(UnknownLeaseError);
    expect(() => begin(leased, {}, NOW + 500)).toThrow(LeaseExpiredError);
  });

  it('asks for the age of its samples where it begins before the training', () => {
    const old: PolicyState = { ...leased, version: 3 };
    const request = { requestId: 'u', trainer: 'a', asked: '', leaseIds: ['l1'], leaseMs: 1, secret: 's' };
    expect(() => beginUpdate(old, request, { ...context, maxStaleness: 2 })).toThrow(StaleLeaseError);
    expect(beginUpdate(old, request, { ...context, maxStaleness: 3 }).result.version).toBe(4);
    expect(beginUpdate(old, request, { ...context, maxStaleness: null }).result.version).toBe(4);
  });

  it('keeps the samples of its leases from everybody else, past the end of those leases', () => {
    expect(waitingSequences(begun, view, NOW + 5000)).toEqual([3]);
    expect(waitingSequences(leased, view, NOW + 5000)).toEqual([1, 2, 3]);
  });

  it('lasts as long as its trainer extends it', () => {
    const longer = extendUpdate(standing, { token: '1-s', leaseMs: 3000 }, NOW + 900).state;
    expect(isGateClosed(longer, NOW + 3899)).toBe(true);
    expect(isGateClosed(longer, NOW + 3900)).toBe(false);
    expect(commit(longer, {}, NOW + 3899).result.version).toBe(1);
  });

  it('cannot be committed before the engines stand, after its lease, by another token, or once it has ended', () => {
    expect(() => commit(begun)).toThrow(UpdateNotReadyError);
    expect(() => commit(standing, {}, NOW + 1000)).toThrow(UpdateEndedError);
    expect(() => commit(standing, { token: '1-x' })).toThrow(UnknownUpdateError);
    const expired = recoverUpdate(standing, { token: '1-s', newVersion: null }, { now: NOW + 1000, view }).state;
    expect(() => commit(expired)).toThrow(UpdateEndedError);
    expect(() => begin(finishUpdate(expired, '1-s'))).toThrow(UpdateEndedError);
  });

  it('is not begun while the last one still has to be brought to its end', () => {
    expect(() => begin(standing, { requestId: 'u2' }, NOW + 1000)).toThrow(UpdateUnresolvedError);
    expect(() => begin(committed, { requestId: 'u2', leaseIds: [] })).toThrow(UpdateUnresolvedError);
    const next = begin(finishUpdate(committed, '1-s'), { requestId: 'u2', leaseIds: [] });
    expect(next.result).toMatchObject({ token: '2-s', version: 2 });
    expect(finishUpdate(committed, 'other')).toBe(committed);
  });
});

describe('an update whose trainer gives up', () => {
  it('lets the old weights serve on and its samples wait again', () => {
    const { state, result } = abortUpdate(standing, { token: '1-s', newVersion: null, reason: 'no memory' }, context);
    expect(result).toMatchObject({ outcome: 'aborted', version: 0, engineVersion: 'default', reason: 'no memory' });
    expect(state).toMatchObject({ version: 0, gate: { state: 'serving' }, acknowledged: 0 });
    expect(state.leases.map(({ inUpdate }) => inUpdate)).toEqual([undefined]);
    expect(waitingSequences(state, view, NOW + 500)).toEqual([1, 2, 3]);
    expect(abortUpdate(state, { token: '1-s', newVersion: null, reason: '' }, context).state).toBe(state);
    expect(() => commit(state)).toThrow('this update has ended (no memory)');
  });

  it('keeps new weights that are in the engines already', () => {
    const { state, result } = abortUpdate(standing, { token: '1-s', newVersion: 'v1', reason: 'late' }, context);
    expect(result).toMatchObject({ outcome: 'recovered', version: 1, engineVersion: 'v1', samples: 2 });
    expect(state.done).toEqual([[1, 2]]);
  });
});

describe('an update whose trainer is gone', () => {
  const late = { now: NOW + 1000, view };

  it('is found once its lease is over, and opens the gate', () => {
    expect(expiredUpdateOf(standing, NOW + 999)).toBeNull();
    expect(expiredUpdateOf(standing, NOW + 1000)?.token).toBe('1-s');
    expect(isGateClosed(standing, NOW + 1000)).toBe(false);
    expect(recoverUpdate(standing, { token: '1-s', newVersion: null }, context).state).toBe(standing);
    const { state, result } = recoverUpdate(standing, { token: '1-s', newVersion: null }, late);
    expect(result).toMatchObject({ outcome: 'expired', version: 0, samples: 0 });
    expect(recoverUpdate(state, { token: '1-s', newVersion: null }, late)).toEqual({ state, result: null });
  });

  it('becomes the next version where the engines have its weights, and its batch is trained', () => {
    const { state, result } = recoverUpdate(standing, { token: '1-s', newVersion: 'v1' }, late);
    expect(result).toMatchObject({ outcome: 'recovered', version: 1, samples: 2 });
    expect(state).toMatchObject({ version: 1, engineVersion: 'v1', done: [[1, 2]], acknowledged: 2 });
    expect(commit(state).result.outcome).toBe('recovered');
  });

  it('changes nothing before its engines stood', () => {
    const { result } = recoverUpdate(begun, { token: '1-s', newVersion: 'v1' }, late);
    expect(result).toMatchObject({ outcome: 'expired', version: 0 });
  });
});

it('remembers the last updates only', () => {
  let state = INITIAL_POLICY_STATE;
  for (let i = 1; i <= REMEMBERED_UPDATES + 3; i += 1) {
    state = begin(state, { requestId: `u${i}`, leaseIds: [] }).state;
    state = startUpdating(state, { token: `${i}-s`, pause: 'drained', engineVersion: null }, NOW).state;
    state = finishUpdate(commit(state, { token: `${i}-s`, engineVersion: null }).state, `${i}-s`);
  }
  expect(state.version).toBe(REMEMBERED_UPDATES + 3);
  expect(state.engineVersion).toBeUndefined();
  expect(state.history).toHaveLength(REMEMBERED_UPDATES);
  expect(expandRanges(state.done)).toEqual([]);
});
