import { FeedbackGiven, SessionEnded, TurnArrived, TurnHinted, TurnJudged, TurnSettled } from '@app/contracts';
import type { ScannedInfo } from '@app/bus';
import fc from 'fast-check';
import { mainTurn } from '../../../../test/support/main-turn';
import { toRow } from './list-rows';
import { TurnRows } from './turn-rows';

const scanned = (subject: string, info: object): ScannedInfo => ({ subject, sequence: 1, info: JSON.stringify(info) });
const arrived = (turnId: string, arrivedAt = 1): ScannedInfo =>
  scanned(TurnArrived.subject(turnId), mainTurn(turnId, { arrivedAt, policyVersion: 2 }));
const OF_ONE = [
  arrived('t', 5),
  scanned(TurnJudged.subject('t'), { turnId: 't', session: 's', score: 1, judgedAt: 7, votes: [1, 1, null] }),
  scanned(TurnHinted.subject('t'), { turnId: 't', session: 's', hintedAt: 8 }),
  scanned(FeedbackGiven.subject('t', 'f'), {
    turnId: 't',
    feedbackId: 'f',
    scope: 'c',
    givenAt: 8,
    score: -1,
    hasText: true,
  }),
  scanned(TurnSettled.subject('t'), {
    turnId: 't',
    session: 's',
    kind: 'sample',
    signal: 'both',
    score: -1,
    settledAt: 9,
  }),
];

test('the same row comes of a turn’s messages in whatever order they come', () => {
  fc.assert(
    fc.property(fc.shuffledSubarray(OF_ONE, { minLength: OF_ONE.length }), (messages) => {
      const rows = new TurnRows(10);
      for (const message of messages) expect(rows.apply(message)).toBe('t');
      expect(rows.list().map(toRow)).toEqual([
        expect.objectContaining({
          session: 's',
          arrivedAt: 5,
          policyVersion: 2,
          votes: [1, 1, null],
          score: 1,
          hint: 'accepted',
          feedback: -1,
          fate: 'sample',
          settledScore: -1,
        }),
      ]);
      expect(toRow(rows.get('t')!)).not.toHaveProperty('feedbackIds');
    }),
  );
});

test('a turn that is not known to have arrived is no row, and of too many the first are forgotten', () => {
  const rows = new TurnRows(2);
  rows.apply(OF_ONE[1]!);
  expect(rows.list()).toEqual([]);
  for (const [i, id] of ['a', 'b', 'c'].entries()) rows.apply(arrived(id, i));
  expect(rows.list().map(({ turnId }) => turnId)).toEqual(['c', 'b']);
});

test('a side turn is known by what settled it, a session’s end by its message, and what is odd is passed over', () => {
  const rows = new TurnRows(10);
  rows.apply(arrived('t'));
  rows.apply(scanned(TurnSettled.subject('t'), { turnId: 't', kind: 'reason', reason: 'side_turn', settledAt: 2 }));
  expect(rows.get('t')).toMatchObject({ kind: 'side', fate: 'side_turn' });
  rows.apply(scanned(SessionEnded.subject('s', '1'), { session: 's', incarnation: 1, cause: 'idle' }));
  expect(rows.endOf('s')).toMatchObject({ cause: 'idle' });
  expect(rows.apply(scanned(TurnArrived.subject('x'), { no: 'turn' }))).toBeNull();
  expect(rows.apply(scanned('rl.other.thing.v1.x', {}))).toBeNull();
});
