import type { ScannedInfo } from '@app/bus';
import {
  FeedbackGiven,
  SessionEnded,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type FeedbackGivenInfo,
  type SessionEndedInfo,
  type TurnRow,
} from '@app/contracts';

const NO_BODY = new Uint8Array();

/** A row while it comes together: messages come in any order, and the one that says when it arrived may be gone. */
export type Draft = Omit<TurnRow, 'arrivedAt'> & {
  readonly arrivedAt: number | null;
  readonly feedbackIds: readonly string[];
  /** Whose turn it is; null while nobody knows it. */
  readonly scope: string | null;
};

const EMPTY: Omit<Draft, 'turnId'> = {
  session: null,
  kind: 'main',
  arrivedAt: null,
  completedAt: null,
  policyVersion: 0,
  route: null,
  tokens: null,
  followed: false,
  votes: null,
  score: null,
  judgedAt: null,
  hint: null,
  feedback: null,
  fate: 'open',
  detail: null,
  signal: null,
  settledScore: null,
  settledAt: null,
  feedbackIds: [],
  scope: null,
};

/** The newest turns, as the headers of their messages tell of them; of too many the oldest are forgotten. */
export class TurnRows {
  private readonly drafts = new Map<string, Draft>();
  private readonly ends = new Map<string, SessionEndedInfo>();

  constructor(private readonly max: number) {}

  /** Takes a message in; returns the turn that it is about, or null. What cannot be read is passed over. */
  apply(message: ScannedInfo): string | null {
    try {
      return this.read(message);
    } catch {
      return null;
    }
  }

  /** Rows of turns that are known to have arrived, newest first. */
  list(): (TurnRow & Draft)[] {
    return [...this.drafts.values()].filter(isRow).sort((a, b) => b.arrivedAt - a.arrivedAt);
  }

  get(turnId: string): (TurnRow & Draft) | null {
    const draft = this.drafts.get(turnId);
    return draft !== undefined && isRow(draft) ? draft : null;
  }

  /** How a session ended last. */
  endOf(session: string): SessionEndedInfo | null {
    return this.ends.get(session) ?? null;
  }

  /** Puts a turn where the session-tracker has put it. */
  place(turnId: string, session: string): void {
    const draft = this.drafts.get(turnId);
    if (draft !== undefined) this.drafts.set(turnId, { ...draft, session });
  }

  forget(turnId: string): void {
    this.drafts.delete(turnId);
  }

  clear(): void {
    this.drafts.clear();
    this.ends.clear();
  }

  private read(scanned: ScannedInfo): string | null {
    const { subject } = scanned;
    const message = { ...scanned, data: NO_BODY };
    if (SessionEnded.matches(subject)) {
      const info = SessionEnded.decodeInfo(message);
      this.ends.set(info.session, info);
      if (this.ends.size > this.max) this.ends.delete(this.ends.keys().next().value ?? '');
      return null;
    }
    if (FeedbackGiven.matches(subject)) return this.feedback(FeedbackGiven.decodeInfo(message));
    const found = changeOf(subject, message);
    return found === null ? null : this.merge(found.turnId, found.change);
  }

  private feedback({ turnId, feedbackId, score }: FeedbackGivenInfo): string {
    const feedbackIds = [...(this.drafts.get(turnId)?.feedbackIds ?? []), feedbackId];
    return this.merge(turnId, { feedbackIds, ...(score === undefined ? {} : { feedback: score }) });
  }

  private merge(turnId: string, change: Partial<Draft>): string {
    const before = this.drafts.get(turnId) ?? { ...EMPTY, turnId };
    this.drafts.set(turnId, { ...before, ...change });
    if (this.drafts.size > this.max) this.drafts.delete(this.drafts.keys().next().value ?? '');
    return turnId;
  }
}

const isRow = (draft: Draft): draft is Draft & { readonly arrivedAt: number } => draft.arrivedAt !== null;

type Wire = ScannedInfo & { readonly data: Uint8Array };

const named = (session: string | undefined): Partial<Draft> => (session === undefined ? {} : { session });

/** What a message says of its turn. */
const changeOf = (subject: string, message: Wire): { turnId: string; change: Partial<Draft> } | null => {
  if (TurnArrived.matches(subject)) {
    const { turnId, scope, arrivedAt, kind, policyVersion, namedSession } = TurnArrived.decodeInfo(message);
    return { turnId, change: { scope, arrivedAt, kind, policyVersion, ...named(namedSession) } };
  }
  if (TurnCompleted.matches(subject)) {
    const info = TurnCompleted.decodeInfo(message);
    const { turnId, scope, arrivedAt, kind, policyVersion, namedSession, completedAt } = info;
    const { route = null, tokens = null } = info;
    return {
      turnId,
      change: { scope, arrivedAt, kind, policyVersion, ...named(namedSession), completedAt, route, tokens },
    };
  }
  if (TurnFollowed.matches(subject)) {
    const { turnId, session } = TurnFollowed.decodeInfo(message);
    return { turnId, change: { session, followed: true } };
  }
  if (TurnJudged.matches(subject)) {
    const { turnId, session, score, votes = null, judgedAt } = TurnJudged.decodeInfo(message);
    return { turnId, change: { session, score, votes, judgedAt, followed: true } };
  }
  if (TurnHinted.matches(subject)) {
    const { turnId, session, reason = 'accepted' } = TurnHinted.decodeInfo(message);
    return { turnId, change: { session, hint: reason, followed: true } };
  }
  if (!TurnSettled.matches(subject)) return null;
  const { turnId, session, kind, reason, detail, signal, score, settledAt } = TurnSettled.decodeInfo(message);
  return {
    turnId,
    change: {
      ...named(session),
      // That a program sends tools elsewhere, so that this is side work of it, only the last word has.
      ...(reason === 'side_turn' ? { kind: 'side' } : {}),
      fate: kind === 'sample' ? 'sample' : (reason ?? 'open'),
      detail: detail ?? null,
      signal: signal ?? null,
      settledScore: score ?? null,
      settledAt,
    },
  };
};
