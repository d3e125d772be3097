import { sessionKeysOf, type SessionRow, type TurnRow, type TurnsPage, type TurnsRequest } from '@app/contracts';

/** A row as it is told: a draft carries more. */
export const toRow = (row: TurnRow): TurnRow => {
  const told = { ...row };
  for (const own of ['feedbackIds', 'scope']) Reflect.deleteProperty(told, own);
  return told;
};

/** Rows of the sessions that go by a name: by their key, or by what any client calls its own. */
export const rowsCalled = <Row extends TurnRow & { readonly scope: string | null }>(
  rows: readonly Row[],
  name: string,
): Row[] => {
  const scopes = new Set(rows.flatMap(({ scope }) => scope ?? []));
  const keys = new Set([name, ...[...scopes].flatMap((scope) => sessionKeysOf(scope, name))]);
  return rows.filter(({ session }) => session !== null && keys.has(session));
};

/**
 * One page of the turns that pass the filters.
 *
 * @param rows newest first
 */
export const pageOf = (rows: readonly TurnRow[], request: TurnsRequest): TurnsPage => {
  const { limit, after, session, kind, route, fate } = request;
  const passes = (row: TurnRow): boolean =>
    (session === undefined || row.session === session) &&
    (kind === undefined || row.kind === kind) &&
    (route === undefined || row.route === route) &&
    (fate === undefined || row.fate === fate);
  const start = after === undefined ? 0 : rows.findIndex(({ turnId }) => turnId === after) + 1;
  const found = rows.slice(start).filter(passes);
  const turns = found.slice(0, limit);
  return { turns: turns.map(toRow), next: found.length > limit ? (turns.at(-1)?.turnId ?? null) : null };
};

type End = Pick<SessionRow, 'ended' | 'endedAt' | 'outcome'>;

/**
 * Sessions by their newest turn. A turn that arrived after the last end has opened its session again.
 *
 * @param rows newest first; those without a session belong to none
 */
export const sessionsOf = (rows: readonly TurnRow[], endOf: (session: string) => End | null): SessionRow[] => {
  const bySession = new Map<string, TurnRow[]>();
  for (const row of rows) {
    if (row.session === null) continue;
    const turns = bySession.get(row.session);
    if (turns === undefined) bySession.set(row.session, [row]);
    else turns.push(row);
  }
  return [...bySession].map(([session, turns]) => {
    const arrivals = turns.map(({ arrivedAt }) => arrivedAt);
    const lastAt = Math.max(...arrivals);
    const end = endOf(session);
    const hasEnded = end !== null && (end.endedAt === null || end.endedAt >= lastAt);
    const scoreOf = (row: TurnRow): number | null => row.feedback ?? row.score;
    return {
      session,
      firstAt: Math.min(...arrivals),
      lastAt,
      turns: turns.length,
      samples: turns.filter(({ fate }) => fate === 'sample').length,
      good: turns.filter((row) => scoreOf(row) === 1).length,
      bad: turns.filter((row) => scoreOf(row) === -1).length,
      ended: hasEnded ? end.ended : null,
      endedAt: hasEnded ? end.endedAt : null,
      outcome: end?.outcome ?? null,
    };
  });
};
