import type { SessionDocument } from '@app/contracts';

/** Ids of finished turns that a document remembers, so that a late redelivery finds them. */
const MAX_SEEN = 24;
/** Turns that may wait for a next state at once; a session id that everybody shares must not grow without bound. */
const MAX_OPEN = 256;

/** What an event says about a session. Applied in any order and any number of times, the result is the same. */
export type SessionChange =
  | { readonly kind: 'arrived'; readonly turnId: string; readonly at: number }
  | {
      readonly kind: 'completed';
      readonly turnId: string;
      readonly at: number;
      readonly judge: boolean;
      /** The session ends with this turn. */
      readonly done: boolean;
      readonly sequence: number;
    }
  /** Its outcome is somebody else's by now: it was followed, or a person scored it. */
  | { readonly kind: 'released'; readonly turnId: string }
  | {
      readonly kind: 'closed';
      readonly requestId: string;
      readonly at: number;
      readonly sequence: number;
      readonly outcome?: number;
    };

/** Turns that an end takes, by what becomes of them. */
export interface EndingTurns {
  readonly withoutNextState: string[];
  readonly lost: string[];
}

type Turn = SessionDocument['turns'][string];
type End = NonNullable<SessionDocument['end']>;

const BLANK: SessionDocument = { incarnation: 1, state: 'open', turns: {}, seen: [] };

const remember = (seen: readonly string[], ids: readonly string[]): string[] =>
  [...seen, ...ids.filter((id) => !seen.includes(id))].slice(-MAX_SEEN);

/** The document of a session that goes on: after its end, that is the next incarnation. */
const reopen = (doc: SessionDocument | null): SessionDocument => {
  if (doc === null) return BLANK;
  return doc.state === 'open' ? doc : { ...doc, state: 'open', incarnation: doc.incarnation + 1 };
};

/** The document with a turn as it is now; a finished turn is only remembered by its id. */
const withTurn = (doc: SessionDocument, id: string, turn: Turn): SessionDocument => {
  if (!turn.completed || turn.open) return { ...doc, turns: { ...doc.turns, [id]: turn } };
  const turns = Object.fromEntries(Object.entries(doc.turns).filter(([other]) => other !== id));
  return { ...doc, turns, seen: remember(doc.seen, [id]) };
};

const withEnd = (doc: SessionDocument, asked: End): SessionDocument => {
  const { end } = doc;
  const outcome = asked.outcome ?? end?.outcome;
  return {
    ...doc,
    end: {
      cause: end?.cause === 'closed' ? 'closed' : asked.cause,
      at: Math.max(asked.at, end?.at ?? 0),
      sequence: Math.max(asked.sequence ?? 0, end?.sequence ?? 0),
      ...(outcome === undefined ? {} : { outcome }),
    },
  };
};

const withLastTurn = (doc: SessionDocument, id: string, at: number): SessionDocument => {
  const { lastTurn = '', lastTurnAt = -1 } = doc;
  const isLater = at > lastTurnAt || (at === lastTurnAt && id > lastTurn);
  return isLater ? { ...doc, lastTurn: id, lastTurnAt: at } : doc;
};

const complete = (
  doc: SessionDocument | null,
  change: Extract<SessionChange, { kind: 'completed' }>,
): SessionDocument => {
  const { turnId, at, judge, done, sequence } = change;
  // Declared lost, or finished before: a late answer is still the last one that was seen.
  if (doc?.seen.includes(turnId)) return judge ? withLastTurn(doc, turnId, at) : doc;
  const current = reopen(doc);
  const before = current.turns[turnId];
  const next = withTurn(current, turnId, { arrivedAt: at, completed: true, open: judge && (before?.open ?? true) });
  const seen = judge ? withLastTurn(next, turnId, at) : next;
  return done ? withEnd(seen, { cause: 'done', at, sequence }) : seen;
};

const release = (doc: SessionDocument | null, turnId: string): SessionDocument => {
  if (doc?.seen.includes(turnId) || doc?.state === 'announced') return doc;
  const current = reopen(doc);
  const turn = current.turns[turnId];
  // Its own events are still to come: they will find that it is finished.
  if (turn === undefined) return { ...current, seen: remember(current.seen, [turnId]) };
  return turn.open ? withTurn(current, turnId, { ...turn, open: false }) : current;
};

const close = (
  doc: SessionDocument | null,
  { requestId, at, sequence, outcome }: Extract<SessionChange, { kind: 'closed' }>,
): SessionDocument | null => {
  if (doc?.seen.includes(requestId)) return doc;
  // All is over, and there is nothing to add.
  if (doc?.state === 'announced' && outcome === undefined) return doc;
  const current = reopen(doc);
  return withEnd({ ...current, seen: remember(current.seen, [requestId]) }, { cause: 'closed', at, sequence, outcome });
};

const applyChange = (doc: SessionDocument | null, change: SessionChange): SessionDocument | null => {
  switch (change.kind) {
    case 'arrived': {
      const isKnown = doc?.seen.includes(change.turnId) === true || doc?.turns[change.turnId] !== undefined;
      return isKnown
        ? doc
        : withTurn(reopen(doc), change.turnId, { arrivedAt: change.at, completed: false, open: true });
    }
    case 'completed':
      return complete(doc, change);
    case 'released':
      return release(doc, change.turnId);
    case 'closed':
      return close(doc, change);
  }
};

/** The document after some changes, equal in value to the one before if they say nothing new. Not for state `ended`. */
export const applyChanges = (doc: SessionDocument | null, changes: readonly SessionChange[]): SessionDocument | null =>
  changes.reduce(applyChange, doc);

const isTaken = (end: End, turn: Turn): boolean => turn.arrivedAt <= end.at;

/** Whether a turn has not been answered to its end. */
export const isAnswering = ({ turns }: SessionDocument): boolean =>
  Object.values(turns).some((turn) => !turn.completed);

/** Whether an end was asked for and every turn that it takes has been answered. It comes true after the events before it. */
export const isDue = ({ state, end, turns }: SessionDocument): boolean =>
  state === 'open' && end !== undefined && Object.values(turns).every((turn) => turn.completed || !isTaken(end, turn));

/** Decides the end: as it was asked for, or, for a session that has gone quiet, with all its turns. */
export const decideEnd = (doc: SessionDocument): SessionDocument => {
  const at = Math.max(doc.lastTurnAt ?? 0, ...Object.values(doc.turns).map(({ arrivedAt }) => arrivedAt));
  return { ...doc, state: 'ended', end: doc.end ?? { cause: 'idle', at } };
};

/** Turns that a decided end takes. Those that are completed and not open have their outcome elsewhere. */
export const endingTurns = ({ turns, end }: SessionDocument): EndingTurns => {
  const taken = Object.entries(turns).filter(([, turn]) => end !== undefined && isTaken(end, turn));
  return {
    withoutNextState: taken.filter(([, turn]) => turn.completed && turn.open).map(([id]) => id),
    lost: taken.filter(([, turn]) => !turn.completed).map(([id]) => id),
  };
};

/** The document once its end is announced: a small rest, or the next incarnation with the turns that came after the end. */
export const concludeEnd = (doc: SessionDocument): SessionDocument => {
  const { end, turns, ...rest } = doc;
  const isGone = (turn: Turn): boolean => end !== undefined && isTaken(end, turn);
  const left = Object.entries(turns).filter(([, turn]) => !isGone(turn));
  const gone = Object.keys(turns).filter((id) => left.every(([other]) => other !== id));
  const seen = remember(doc.seen, gone);
  const since = Math.max(end?.at ?? 0, doc.since ?? 0);
  return left.length === 0
    ? { ...rest, since, state: 'announced', turns: {}, seen }
    : { ...rest, since, state: 'open', incarnation: doc.incarnation + 1, turns: Object.fromEntries(left), seen };
};

/** Answered turns over the bound, oldest first: they wait no longer. */
export const overdueTurns = ({ turns }: SessionDocument): readonly string[] => {
  const waiting = Object.entries(turns)
    .filter(([, turn]) => turn.completed)
    .sort(([, a], [, b]) => a.arrivedAt - b.arrivedAt);
  return waiting.slice(0, Math.max(0, waiting.length - MAX_OPEN)).map(([id]) => id);
};
