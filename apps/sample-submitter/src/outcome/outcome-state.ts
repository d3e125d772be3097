import type { OutcomeDocument } from '@app/contracts';

/** Outcomes and ends that a document remembers, and turns that may wait in it; the newest. */
const MAX_SAID = 16;
const MAX_ENDS = 8;
const MAX_WAITING = 1024;

/** The end of one incarnation. */
type SessionEnd = OutcomeDocument['ends'][number];

/** What an event says about a session. Applied in any order and any number of times, the result is the same. */
export type OutcomeChange =
  /** A turn has been judged, and arrived at the gateway at `arrivedAt`. */
  | { readonly kind: 'waits'; readonly turnId: string; readonly arrivedAt: number }
  | { readonly kind: 'said'; readonly by: string; readonly at: number; readonly outcome: number }
  | { readonly kind: 'ended'; readonly end: SessionEnd }
  /** Turns that wait no longer. */
  | { readonly kind: 'left'; readonly turnIds: readonly string[] }
  /** The session was erased with these turns: what was said of it is gone, later turns wait on. */
  | { readonly kind: 'erased'; readonly turnIds: readonly string[] };

/** A turn that waits no longer. `outcome` null: there is none. */
export interface DueTurn {
  readonly turnId: string;
  readonly outcome: number | null;
}

export interface Weighed {
  readonly due: readonly DueTurn[];
  /** When the next turn is due if nothing happens, milliseconds since 1970; null: only an event can tell. */
  readonly nextAt: number | null;
}

const BLANK: OutcomeDocument = { turns: {}, said: [], ends: [] };

/** Whether nothing is left of a document. */
export const isBlank = ({ turns, said, ends }: OutcomeDocument): boolean =>
  Object.keys(turns).length + said.length + ends.length === 0;

const byTime = (a: OutcomeDocument['said'][number], b: OutcomeDocument['said'][number]): number =>
  a.at - b.at || (a.by < b.by ? -1 : 1);

const without = (turns: OutcomeDocument['turns'], turnIds: readonly string[]): OutcomeDocument['turns'] => {
  const gone = new Set(turnIds);
  return Object.fromEntries(Object.entries(turns).filter(([id]) => !gone.has(id)));
};

const applyChange = (doc: OutcomeDocument, change: OutcomeChange): OutcomeDocument => {
  switch (change.kind) {
    case 'waits':
      return { ...doc, turns: { ...doc.turns, [change.turnId]: change.arrivedAt } };
    case 'said': {
      const { by, at, outcome } = change;
      if (doc.said.some((each) => each.by === by)) return doc;
      return { ...doc, said: [...doc.said, { by, at, outcome }].sort(byTime).slice(-MAX_SAID) };
    }
    case 'ended': {
      const { end } = change;
      if (doc.ends.some((each) => each.incarnation === end.incarnation)) return doc;
      const ends = [...doc.ends, end].sort((a, b) => a.incarnation - b.incarnation);
      return { ...doc, ends: ends.slice(-MAX_ENDS) };
    }
    case 'left':
      return { ...doc, turns: without(doc.turns, change.turnIds) };
    case 'erased':
      return { ...BLANK, turns: without(doc.turns, change.turnIds) };
  }
};

/** The document after some changes, equal in value to the one before if they say nothing new. */
export const applyChanges = (doc: OutcomeDocument | null, changes: readonly OutcomeChange[]): OutcomeDocument =>
  changes.reduce(applyChange, doc ?? BLANK);

/**
 * The outcome that counts for a turn: the first that was said after it had arrived, by its incarnation's end or by feedback up
 * to `waitMs` after that. Once it has ended, one that was said earlier in the same incarnation will do. An end says nothing of
 * other incarnations, in whatever order ends come in. `until` Infinity: the session goes on.
 */
const outcomeFor = (
  { said, ends }: OutcomeDocument,
  arrivedAt: number,
  waitMs: number,
): { readonly outcome: number | null; readonly until: number } => {
  const end = ends.find(({ since, through }) => since < arrivedAt && arrivedAt <= through);
  // Its own end is on its way where a later one is here.
  const next = end === undefined ? ends.find(({ since }) => arrivedAt <= since) : undefined;
  const until = ((end ?? next)?.endedAt ?? Infinity) + waitMs;
  const word = said.find(({ at }) => arrivedAt <= at && at <= (next?.since ?? until));
  if (end === undefined) return { outcome: word?.outcome ?? null, until };
  const isFirst = word !== undefined && word.at < end.through;
  const earlier = said.findLast(({ at }) => end.since < at && at < arrivedAt);
  return { outcome: (isFirst ? word.outcome : (end.outcome ?? word?.outcome ?? earlier?.outcome)) ?? null, until };
};

/**
 * Which turns wait no longer: those whose outcome is known, those that have waited long enough, and the oldest where too
 * many wait. `hasGivenUp`: nobody waits for an outcome any more.
 *
 * @param now milliseconds since 1970
 */
export const weighTurns = (
  doc: OutcomeDocument,
  { now, waitMs, hasGivenUp }: { readonly now: number; readonly waitMs: number; readonly hasGivenUp: boolean },
): Weighed => {
  const waiting = Object.entries(doc.turns).sort(([, a], [, b]) => a - b);
  const due: DueTurn[] = [];
  const later: number[] = [];
  waiting.forEach(([turnId, arrivedAt], i) => {
    const { outcome, until } = outcomeFor(doc, arrivedAt, waitMs);
    const isOver = hasGivenUp || until <= now || i < waiting.length - MAX_WAITING;
    if (outcome !== null || isOver) due.push({ turnId, outcome });
    else if (until < Infinity) later.push(until);
  });
  return { due, nextAt: later.length === 0 ? null : Math.min(...later) };
};
