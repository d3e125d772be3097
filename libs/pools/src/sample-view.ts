import { OutdatedViewError } from './lease-error';
import type { Lease, PolicyState } from './policy-state';
import { anyBetween, expandRanges, inRanges, joinRanges, toRanges } from './ranges';

/** What a follower of the sample stream knows of it. */
export interface SampleView {
  /** Sequences that hold a sample, ascending. Finished ones may be missing, unfinished ones up to `seenUpTo` never. */
  readonly samples: readonly number[];
  readonly seenUpTo: number;
  /** Policy version at the start of a sample's answer; undefined where it is not known. */
  readonly versionOf?: (sequence: number) => number | undefined;
  /** When the stream was created, server's clock, milliseconds. */
  readonly streamCreatedAt: number;
}

/** Whether a lease holds at `now`, server's clock. */
export const isLive = (lease: Lease, now: number): boolean => lease.inUpdate === true || now < lease.expiresAt;

/**
 * The state for the stream that the view is of: what was said about an older stream is forgotten.
 * @throws OutdatedViewError if the view is of the older one.
 */
export const forStream = (state: PolicyState, { streamCreatedAt }: SampleView): PolicyState => {
  if (state.streamCreatedAt === streamCreatedAt) return state;
  if (state.streamCreatedAt === undefined) return { ...state, streamCreatedAt };
  if (streamCreatedAt < state.streamCreatedAt) throw new OutdatedViewError();
  return { ...state, streamCreatedAt, leases: [], done: [], acknowledged: 0, answers: [] };
};

/** Sequences under a live lease. */
export const leasedSequences = (state: PolicyState, now: number): number[] =>
  state.leases.filter((lease) => isLive(lease, now)).flatMap((lease) => expandRanges(lease.sequences));

/** Sequences that may be handed out at `now`, oldest first. */
export const waitingSequences = (state: PolicyState, view: SampleView, now: number): number[] => {
  const current = forStream(state, view);
  const leased = new Set(leasedSequences(current, now));
  return view.samples.filter((sequence) => !leased.has(sequence) && !inRanges(current.done, sequence));
};

/** Samples of the view that are more than `maxStaleness` weight updates behind the policy. */
export const staleSequences = ({ version }: PolicyState, view: SampleView, maxStaleness: number): number[] =>
  view.samples.filter((sequence) => version - (view.versionOf?.(sequence) ?? version) > maxStaleness);

/** How many samples a lease could get at `now`: those that wait and are not too old. */
export const countLeasable = (
  state: PolicyState,
  view: SampleView,
  { now, maxStaleness }: { readonly now: number; readonly maxStaleness: number },
): number => {
  const stale = new Set(staleSequences(state, view, maxStaleness));
  return waitingSequences(state, view, now).filter((sequence) => !stale.has(sequence)).length;
};

/** When the next lease ends that ends by itself, server's clock, or null if there is none. */
export const nextExpiry = (state: PolicyState, now: number): number | null => {
  const ends = state.leases.map((lease) => lease.expiresAt).filter((end) => now < end);
  return ends.length === 0 ? null : Math.min(...ends);
};

/**
 * Marks sequences as finished, so that they are never handed out again, and takes them out of nothing else: a lease that
 * holds them keeps them. Gaps that the view knows to hold no sample are closed.
 */
export const markDone = (stored: PolicyState, sequences: readonly number[], view: SampleView): PolicyState => {
  const state = forStream(stored, view);
  const isEmpty = (first: number, last: number): boolean =>
    last <= view.seenUpTo && !anyBetween(view.samples, first, last);
  const done = joinRanges(state.done, toRanges(sequences.toSorted((a, b) => a - b)), isEmpty);
  const [lowest] = done;
  if (lowest !== undefined && lowest[0] > 1 && isEmpty(1, lowest[0] - 1)) lowest[0] = 1;
  return { ...state, done };
};

/** Takes samples that no longer exist out of every lease and marks them finished; empty leases vanish, and their answers say so. */
export const dropSamples = (stored: PolicyState, gone: readonly number[], view: SampleView): PolicyState => {
  const state = markDone(stored, gone, view);
  const without = new Set(gone);
  const left = state.leases.map((lease) => ({
    ...lease,
    sequences: toRanges(expandRanges(lease.sequences).filter((sequence) => !without.has(sequence))),
  }));
  const emptied = new Set(left.filter(({ sequences }) => sequences.length === 0).map(({ id }) => id));
  return {
    ...state,
    leases: left.filter(({ id }) => !emptied.has(id)),
    answers: state.answers.map((answer) => (emptied.has(answer.leaseId) ? { ...answer, erased: true } : answer)),
  };
};
