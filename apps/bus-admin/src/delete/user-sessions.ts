import { rootSessionKey, sessionKeysOf } from '@app/contracts';

/** Who is to be forgotten: a caller, and one of its sessions, or all of them where there is no name. */
export interface Forgotten {
  readonly scope: string;
  readonly session: string | null;
}

const FIELDS = ['turnId', 'scope', 'session', 'namedSession', 'runtimeSession'] as const;
type Info = Partial<Record<(typeof FIELDS)[number], string>>;

/** What is readable of an info; one that is malformed is nobody's. */
const parseInfo = (text: string): Info => {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null) return {};
    const fields = value as Readonly<Record<string, unknown>>;
    return Object.fromEntries(
      FIELDS.flatMap((name) => (typeof fields[name] === 'string' ? [[name, fields[name]]] : [])),
    );
  } catch {
    return {};
  }
};

/** Gathers a user's turns and sessions from the infos of all messages, in any order. */
export class UserSessions {
  private readonly turns = new Map<string, Set<string>>();
  private readonly mine = new Set<string>();
  private readonly closed = new Set<string>();
  private readonly wanted: ReadonlySet<string> | null;

  constructor(private readonly user: Forgotten) {
    this.wanted = user.session === null ? null : new Set(sessionKeysOf(user.scope, user.session));
  }

  learn(infoText: string): void {
    const { turnId, scope, session, namedSession, runtimeSession } = parseInfo(infoText);
    const isMine = scope === this.user.scope;
    if (turnId === undefined) {
      if (isMine && session !== undefined) this.closed.add(session);
      return;
    }
    if (isMine) this.mine.add(turnId);
    const names = this.turns.get(turnId) ?? new Set();
    for (const name of [session, namedSession, runtimeSession]) if (name !== undefined) names.add(name);
    this.turns.set(turnId, names);
  }

  /** The tracker's own word on where a turn belongs. */
  place(turnId: string, session: string): void {
    this.turns.get(turnId)?.add(session);
  }

  /** The user's turns whose place in a session is asked for. */
  get turnIds(): readonly string[] {
    return [...this.mine];
  }

  /** Keys of the sessions that have to go. */
  get sessions(): readonly string[] {
    if (this.wanted !== null) return [...this.wanted];
    const all = this.turnIds.flatMap((turnId) => {
      const names = [...(this.turns.get(turnId) ?? [])];
      return names.length === 0 ? [rootSessionKey(turnId)] : names;
    });
    return [...new Set([...all, ...this.closed])];
  }

  /** How many messages are still the user's: those of the sessions that had to go. */
  count(infoText: string): number {
    const { turnId, scope, session, namedSession, runtimeSession } = parseInfo(infoText);
    const names = [session, namedSession, runtimeSession];
    if (this.wanted !== null) return names.some((name) => name !== undefined && this.wanted?.has(name)) ? 1 : 0;
    return scope === this.user.scope || (turnId !== undefined && this.mine.has(turnId)) ? 1 : 0;
  }
}
