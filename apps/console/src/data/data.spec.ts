import type { TurnRow } from '@app/contracts';
import { parseEvent } from './api';
import { parsePlace } from './place';
import { mergeRows, withoutTurns, withRows } from './store';
import { agoOf, signed } from './words';

const row = (turnId: string, arrivedAt: number, more: Partial<TurnRow> = {}): TurnRow =>
  ({ turnId, arrivedAt, ...more }) as TurnRow;

test('rows are merged by turn, the newest word counts, the newest turn is first', () => {
  const before = [row('b', 2), row('a', 1, { fate: 'open' })];
  expect(mergeRows(before, [row('c', 3), row('a', 1, { fate: 'sample' })], 3)).toEqual([
    row('c', 3),
    row('b', 2),
    row('a', 1, { fate: 'sample' }),
  ]);
  expect(mergeRows(before, [row('c', 3)], 2).map(({ turnId }) => turnId)).toEqual(['c', 'b']);
});

test('what was removed is not shown, nor what is said of it later', () => {
  const before = { isLive: true, now: null, gateway: null, rows: [row('b', 2), row('a', 1)], gone: new Set<string>() };
  const after = { ...before, ...withoutTurns(before, ['a']) };
  expect(after.rows).toEqual([row('b', 2)]);
  expect({ ...after, ...withRows(after, [row('a', 1), row('c', 3)]) }.rows).toEqual([row('c', 3), row('b', 2)]);
});

test('events are read, and what is none is passed over', () => {
  expect(parseEvent('event: turns\ndata: {"turns":[]}')).toEqual({ event: 'turns', data: { turns: [] } });
  expect(parseEvent(':')).toBeNull();
});

test.each([
  ['', 'now', null, ''],
  ['#/turns?fate=sample', 'turns', null, 'fate=sample'],
  ['#/turns/a%20b', 'turns', 'a b', ''],
  ['#/sessions/100%', 'sessions', '100%', ''],
])('the place of %j', (hash, page, id, query) => {
  const place = parsePlace(hash);
  expect([place.page, place.id, place.query.toString()]).toEqual([page, id, query]);
});

test('numbers and times are written for people', () => {
  expect([signed(-0.5), signed(1), signed(0), signed(-0.001)]).toEqual(['−0.50', '+1.00', '0.00', '0.00']);
  expect([agoOf(0, 500), agoOf(0, 61_000), agoOf(0, 90_000_000)]).toEqual(['now', '1 min ago', '1 d ago']);
});
