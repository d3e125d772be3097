import { sessionKey, type TurnRow } from '@app/contracts';
import fc from 'fast-check';
import { pageOf, rowsCalled, sessionsOf } from './list-rows';

const row = (turnId: string, more: Partial<TurnRow> = {}): TurnRow =>
  ({ turnId, session: 's', kind: 'main', route: 'sglext', fate: 'open', arrivedAt: 0, ...more }) as TurnRow;

test('pages, one after the other, are the filtered list', () => {
  const kinds = fc.constantFrom('main' as const, 'side' as const);
  fc.assert(
    fc.property(fc.array(kinds, { maxLength: 30 }), fc.integer({ min: 1, max: 7 }), (all, limit) => {
      const rows = all.map((kind, i) => row(`t${i}`, { kind }));
      const seen: string[] = [];
      for (let after: string | null | undefined; after !== null;) {
        const page = pageOf(rows, { limit, kind: 'main', ...(after === undefined ? {} : { after }) });
        expect(page.turns.length).toBeLessThanOrEqual(limit);
        seen.push(...page.turns.map(({ turnId }) => turnId));
        after = page.next;
      }
      expect(seen).toEqual(rows.filter(({ kind }) => kind === 'main').map(({ turnId }) => turnId));
    }),
  );
});

test('a session goes by its key and by what its client calls it, whoever the client is', () => {
  const turn = (turnId: string, scope: string | null, session: string | null) => ({ ...row(turnId), session, scope });
  const mine = [turn('b', 'me', sessionKey('me', 'chat')), turn('a', 'me', sessionKey('me', 'chat'))];
  const other = turn('c', 'you', sessionKey('you', 'chat'));
  const rows = [
    ...mine,
    other,
    turn('d', 'me', sessionKey('me', 'talk')),
    turn('e', null, 'key'),
    turn('f', null, null),
  ];
  expect(rowsCalled(rows, 'chat')).toEqual([...mine, other]);
  expect(rowsCalled(rows, 'chat:3')).toEqual([...mine, other]);
  expect(rowsCalled(rows, sessionKey('me', 'chat'))).toEqual(mine);
  expect(rowsCalled(rows, 'key').map(({ turnId }) => turnId)).toEqual(['e']);
  expect(rowsCalled(rows, 'never')).toEqual([]);
});

test('a session counts its turns, and is open again when one has arrived after its end', () => {
  const rows = [
    row('c', { arrivedAt: 30, score: 1, feedback: -1 }),
    row('b', { arrivedAt: 20, score: 1, fate: 'sample' }),
    row('a', { arrivedAt: 10, session: 'other' }),
    row('x', { session: null }),
  ];
  const end = (endedAt: number) => (session: string) =>
    session === 's' ? { ended: 'idle' as const, endedAt, outcome: 1 } : null;
  expect(sessionsOf(rows, end(40))).toEqual([
    {
      session: 's',
      firstAt: 20,
      lastAt: 30,
      turns: 2,
      samples: 1,
      good: 1,
      bad: 1,
      ended: 'idle',
      endedAt: 40,
      outcome: 1,
    },
    expect.objectContaining({ session: 'other', ended: null }),
  ]);
  expect(sessionsOf(rows, end(25))[0]).toMatchObject({ ended: null, endedAt: null });
});
