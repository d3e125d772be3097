import { RequestIdReusedError } from './lease-error';
import { liveLeaseOf, type Change } from './leases';
import type { EndedUpdate, Lease, PauseMode, PolicyState, Update, UpdateOutcome } from './policy-state';
import { expandRanges } from './ranges';
import { forStream, markDone, staleSequences, type SampleView } from './sample-view';
import {
  StaleLeaseError,
  UnknownUpdateError,
  UpdateEndedError,
  UpdateInProgressError,
  UpdateNotReadyError,
  UpdateUnresolvedError,
} from './update-error';

/** Ended updates that are remembered: for people, and to answer a repeated commit. */
export const REMEMBERED_UPDATES = 32;

const MS = 1000;

export interface UpdateRequest {
  readonly requestId: string;
  /** Identity of the trainer. */
  readonly trainer: string;
  /** What it wrote it wants, in one text. */
  readonly asked: string;
  readonly leaseIds: readonly string[];
  readonly leaseMs: number;
  /** What nobody can guess: it goes into the token. */
  readonly secret: string;
}

export interface UpdateContext {
  /** Server's clock, milliseconds. */
  readonly now: number;
  readonly view: SampleView;
}

/** An update as its trainer sees it. */
export interface BegunUpdate {
  readonly token: string;
  /** The version that its commit makes. */
  readonly version: number;
  readonly expiresAt: number;
  readonly state: 'draining' | 'updating';
}

const isOver = (state: PolicyState, now: number): boolean => now >= (state.gate.until ?? Infinity);

const begunOf = ({ gate, version }: PolicyState, { token }: Update): BegunUpdate => ({
  token,
  version: version + 1,
  expiresAt: gate.until ?? 0,
  state: gate.state === 'updating' ? 'updating' : 'draining',
});

/** An update whose lease is over, and that nobody has brought to its end yet. */
export const expiredUpdateOf = (state: PolicyState, now: number): Update | null =>
  state.gate.update !== undefined && isOver(state, now) ? state.gate.update : null;

const holdLease = (lease: Lease, leaseIds: readonly string[]): Lease =>
  leaseIds.includes(lease.id) ? { ...lease, inUpdate: true } : lease;

const freeLease = ({ id, trainer, sequences, expiresAt }: Lease): Lease => ({ id, trainer, sequences, expiresAt });

const endOf = (state: PolicyState, isIt: (ended: EndedUpdate) => boolean): EndedUpdate | undefined =>
  (state.history ?? []).findLast(isIt);

/**
 * Closes the gate for one trainer, whose leases from then on end with the update. A repeated request gets the update that it
 * began. `maxStaleness`, where it is not null, is asked of the samples once more: where the training has not begun yet.
 * @throws UpdateInProgressError, UpdateEndedError, UpdateUnresolvedError, StaleLeaseError, and for its leases as `extendLease`
 */
export const beginUpdate = (
  stored: PolicyState,
  request: UpdateRequest,
  { now, view, maxStaleness }: UpdateContext & { readonly maxStaleness: number | null },
): Change<BegunUpdate> => {
  const state = forStream(stored, view);
  const { gate } = state;
  const { requestId, trainer, asked, leaseIds, leaseMs } = request;
  if (gate.update?.requestId === requestId && gate.holder === trainer && !isOver(state, now)) {
    if (gate.update.asked !== asked) throw new RequestIdReusedError(requestId, 'the update under way');
    return { state: stored, result: begunOf(state, gate.update) };
  }
  const ended = endOf(state, (each) => each.requestId === requestId && each.trainer === trainer);
  if (ended !== undefined) throw new UpdateEndedError(ended.outcome);
  if (gate.state !== 'serving' && !isOver(state, now)) {
    throw new UpdateInProgressError(gate.holder ?? 'unknown', Math.ceil(((gate.until ?? now) - now) / MS));
  }
  if (gate.update !== undefined || state.unfinished !== undefined) throw new UpdateUnresolvedError();
  for (const leaseId of leaseIds) {
    const lease = liveLeaseOf(state, leaseId, now);
    if (maxStaleness === null) continue;
    const stale = staleSequences(state, { ...view, samples: expandRanges(lease.sequences) }, maxStaleness);
    if (stale.length > 0) throw new StaleLeaseError(leaseId, stale.length);
  }
  const fence = (state.fence ?? 0) + 1;
  const token = `${fence}-${request.secret}`;
  const update: Update = { token, requestId, asked, leaseIds: [...leaseIds], leaseMs, startedAt: now };
  const next: PolicyState = {
    ...state,
    fence,
    gate: { state: 'draining', until: now + leaseMs, holder: trainer, update },
    leases: state.leases.map((lease) => holdLease(lease, leaseIds)),
  };
  return { state: next, result: begunOf(next, update) };
};

/** The live update of a token. @throws UpdateEndedError, UnknownUpdateError */
const liveUpdateOf = (state: PolicyState, token: string, now: number): Update => {
  const { update } = state.gate;
  if (update?.token === token) {
    if (isOver(state, now)) throw new UpdateEndedError('its lease is over');
    return update;
  }
  const ended = endOf(state, (each) => each.token === token);
  if (ended !== undefined) throw new UpdateEndedError(ended.reason ?? ended.outcome);
  throw new UnknownUpdateError();
};

/** The engines stand: from now on their weights may be changed. @throws UpdateEndedError, UnknownUpdateError */
export const startUpdating = (
  stored: PolicyState,
  { token, pause, engineVersion }: { token: string; pause: PauseMode; engineVersion: string | null },
  now: number,
): Change<BegunUpdate> => {
  const update = liveUpdateOf(stored, token, now);
  if (stored.gate.state === 'updating') return { state: stored, result: begunOf(stored, update) };
  const standing: Update = { ...update, pause };
  const state: PolicyState = {
    ...stored,
    // Whose weights were never told apart are the engines' own as they stand now.
    ...(stored.engineVersion === undefined && engineVersion !== null ? { engineVersion } : {}),
    gate: { ...stored.gate, state: 'updating', update: standing },
  };
  return { state, result: begunOf(state, standing) };
};

/** Lets the update's lease end `leaseMs` from now. @throws UpdateEndedError, UnknownUpdateError */
export const extendUpdate = (
  stored: PolicyState,
  { token, leaseMs }: { readonly token: string; readonly leaseMs: number },
  now: number,
): Change<BegunUpdate> => {
  const update = liveUpdateOf(stored, token, now);
  const state: PolicyState = { ...stored, gate: { ...stored.gate, until: now + leaseMs } };
  return { state, result: begunOf(state, update) };
};

/** Takes down where the engines are about to load the new weights from. @throws UpdateEndedError, UnknownUpdateError */
export const nameWeights = (
  stored: PolicyState,
  { token, weightsPath }: { readonly token: string; readonly weightsPath: string },
  now: number,
): Change<void> => {
  const update = { ...liveUpdateOf(stored, token, now), weightsPath };
  return { state: { ...stored, gate: { ...stored.gate, update } }, result: undefined };
};

interface Ending {
  readonly outcome: UpdateOutcome;
  /** The engines' name of the new weights; null where they have none to tell. */
  readonly engineVersion: string | null;
  readonly metrics: Readonly<Record<string, number>>;
  readonly reason?: string;
}

/** Opens the gate; with new weights the version rises and what they were trained on is finished, in the same write. */
const endUpdate = (
  stored: PolicyState,
  update: Update,
  ending: Ending,
  context: UpdateContext,
): Change<EndedUpdate> => {
  const state = forStream(stored, context.view);
  const hasNewWeights = ending.outcome === 'committed' || ending.outcome === 'recovered';
  const mine = state.leases.filter(({ id }) => hasNewWeights && update.leaseIds.includes(id));
  const trained = mine.flatMap((lease) => expandRanges(lease.sequences));
  const done = markDone(
    { ...state, leases: state.leases.filter((lease) => !mine.includes(lease)) },
    trained,
    context.view,
  );
  const engineVersion = hasNewWeights ? (ending.engineVersion ?? undefined) : state.engineVersion;
  const ended: EndedUpdate = {
    token: update.token,
    requestId: update.requestId,
    trainer: state.gate.holder ?? 'unknown',
    outcome: ending.outcome,
    version: state.version + (hasNewWeights ? 1 : 0),
    ...(engineVersion === undefined ? {} : { engineVersion }),
    startedAt: update.startedAt,
    endedAt: context.now,
    samples: trained.length,
    ...(ending.reason === undefined ? {} : { reason: ending.reason }),
  };
  const next: PolicyState = {
    ...done,
    engineVersion,
    weightsPath: hasNewWeights ? update.weightsPath : state.weightsPath,
    version: ended.version,
    acknowledged: done.acknowledged + trained.length,
    gate: { state: 'serving' },
    leases: done.leases.map((lease) => (update.leaseIds.includes(lease.id) ? freeLease(lease) : lease)),
    history: [...(state.history ?? []), ended].slice(-REMEMBERED_UPDATES),
    unfinished: { token: update.token, endedAt: context.now, metrics: { ...ending.metrics } },
  };
  return { state: next, result: ended };
};

/**
 * The new weights are in the engines: raises the version, acknowledges the leases named at the beginning, opens the gate.
 * A repeated commit gets the same answer. @throws UpdateEndedError, UpdateNotReadyError, UnknownUpdateError
 */
export const commitUpdate = (
  state: PolicyState,
  commit: {
    readonly token: string;
    readonly engineVersion: string | null;
    readonly metrics: Readonly<Record<string, number>>;
  },
  context: UpdateContext,
): Change<EndedUpdate> => {
  const known = endOf(state, ({ token }) => token === commit.token);
  if (known?.outcome === 'committed' || known?.outcome === 'recovered') return { state, result: known };
  const update = liveUpdateOf(state, commit.token, context.now);
  if (state.gate.state !== 'updating') throw new UpdateNotReadyError();
  return endUpdate(state, update, { ...commit, outcome: 'committed' }, context);
};

/**
 * The trainer gives up. Where the engines have new weights already, and agree on them, these serve as the next version.
 * @param newVersion the engines' name of the new weights, or null if the old ones serve on
 * @throws UpdateEndedError, UnknownUpdateError
 */
export const abortUpdate = (
  state: PolicyState,
  {
    token,
    newVersion,
    reason,
  }: { readonly token: string; readonly newVersion: string | null; readonly reason: string },
  context: UpdateContext,
): Change<EndedUpdate> => {
  const known = endOf(state, (each) => each.token === token);
  if (known?.outcome === 'aborted') return { state, result: known };
  const update = liveUpdateOf(state, token, context.now);
  const outcome = newVersion === null ? 'aborted' : 'recovered';
  return endUpdate(state, update, { outcome, engineVersion: newVersion, metrics: {}, reason }, context);
};

/**
 * Brings an update to its end whose lease is over: its trainer is gone, or too late. The state is the same object where
 * somebody else has done so. @param newVersion as for `abortUpdate`
 */
export const recoverUpdate = (
  state: PolicyState,
  { token, newVersion }: { readonly token: string; readonly newVersion: string | null },
  context: UpdateContext,
): Change<EndedUpdate | null> => {
  const update = expiredUpdateOf(state, context.now);
  if (update?.token !== token) return { state, result: null };
  // Weights are changed in `updating` only: before it, another name is no doing of this update.
  const adopted = state.gate.state === 'updating' ? newVersion : null;
  const outcome = adopted === null ? 'expired' : 'recovered';
  const reason = `the lease of trainer ${state.gate.holder ?? 'unknown'} was over`;
  return endUpdate(state, update, { outcome, engineVersion: adopted, metrics: {}, reason }, context);
};

/** The engines go on, and the new version has been told. The state is the same object where that was known. */
export const finishUpdate = (state: PolicyState, token: string): PolicyState => {
  if (state.unfinished?.token !== token) return state;
  return { ...state, unfinished: undefined };
};
