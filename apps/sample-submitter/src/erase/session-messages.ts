import {
  FeedbackGiven,
  isSubjectToken,
  rootSessionKey,
  SessionClosed,
  SessionEnded,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type StreamName,
} from '@app/contracts';

/** A stored message without its body. */
export interface StoredInfo {
  readonly stream: StreamName;
  readonly sequence: number;
  readonly subject: string;
  /** The info as JSON. */
  readonly info: string;
}

interface Info {
  readonly turnId?: string;
  readonly session?: string;
  readonly namedSession?: string;
  readonly runtimeSession?: string;
  /** Of a dead letter: the subject of the message that was given up. */
  readonly subject?: string;
}

/** Who may say which session a turn belongs to, the surest first. */
const DECIDERS = [TurnFollowed, TurnJudged, TurnHinted, TurnSettled];
const TURNS = [TurnArrived, TurnCompleted];
/** Place of the turn id in a subject: rl.turn.judged.v1.<turn id>. */
const TURN_TOKEN = 4;
const OF_SESSIONS = [SessionClosed, SessionEnded];

const FIELDS = ['turnId', 'session', 'namedSession', 'runtimeSession', 'subject'] as const;

/** What is readable of an info. One that is malformed must not keep a session from being erased. */
const parseInfo = (text: string): Info => {
  try {
    const info: unknown = JSON.parse(text);
    if (typeof info !== 'object' || info === null) return {};
    const fields = info as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      FIELDS.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
    );
  } catch {
    return {};
  }
};

/** The turn that a message is about, or null. Of a dead letter it is the turn of the message that was given up. */
export const turnIdOf = (message: Pick<StoredInfo, 'info'>): string | null => {
  const { turnId, subject } = parseInfo(message.info);
  const id = turnId ?? subject?.split('.')[TURN_TOKEN] ?? '';
  return isSubjectToken(id) ? id : null;
};

/**
 * Finds a session's messages among all that are stored: those of turns that the tracker has put there, or whose request named
 * it, be it that the tracker has put them elsewhere.
 */
export class SessionMessages {
  private readonly places = new Map<string, string>();
  private readonly decided = new Map<string, string>();
  private readonly named = new Map<string, ReadonlySet<string>>();

  /** `turns`: those that are known to be the session's. */
  constructor(
    private readonly session: string,
    private readonly turns: ReadonlySet<string> = new Set(),
  ) {}

  /** First pass, over every message in any order: learns which turn belongs where. */
  learn(message: Pick<StoredInfo, 'subject' | 'info'>): void {
    const info = parseInfo(message.info);
    if (info.turnId === undefined) return;
    if (info.session !== undefined && DECIDERS.some((each) => each.matches(message.subject))) {
      this.decided.set(info.turnId, info.session);
    }
    if (TURNS.some((each) => each.matches(message.subject))) {
      const names = [info.namedSession, info.runtimeSession].filter((name) => name !== undefined);
      if (names.length > 0) this.named.set(info.turnId, new Set(names));
    }
  }

  /** The tracker's own word about a turn: it holds whatever the messages say. */
  place(turnId: string, session: string): void {
    this.places.set(turnId, session);
  }

  /** Where the tracker has put a turn, as far as is known. */
  placeOf(turnId: string): string | null {
    return this.places.get(turnId) ?? this.decided.get(turnId) ?? null;
  }

  /** Second pass: whether the message is one of the session's. */
  isOurs(message: Pick<StoredInfo, 'subject' | 'info'>): boolean {
    const info = parseInfo(message.info);
    if (OF_SESSIONS.some((each) => each.matches(message.subject))) return info.session === this.session;
    const turnId = turnIdOf(message);
    if (turnId !== null && this.isOurTurn(turnId)) return true;
    return FeedbackGiven.matches(message.subject) && info.session === this.session;
  }

  private isOurTurn(turnId: string): boolean {
    if (this.turns.has(turnId)) return true;
    const place = this.placeOf(turnId);
    const names = this.named.get(turnId);
    if (place === null && names === undefined) return rootSessionKey(turnId) === this.session;
    return place === this.session || names?.has(this.session) === true;
  }
}
