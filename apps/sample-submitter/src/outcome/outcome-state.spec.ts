import fc from 'fast-check';
import { applyChanges, isBlank, weighTurns, type OutcomeChange } from './outcome-state';

const WAIT_MS = 100;
const waits = (turnId: string, arrivedAt: number): OutcomeChange => ({ kind: 'waits', turnId, arrivedAt });
const said = (by: string, at: number, outcome: number): OutcomeChange => ({ kind: 'said', by, at, outcome });
interface End {
  readonly incarnation?: number;
  readonly since?: number;
  readonly through: number;
  readonly endedAt?: number;
  readonly outcome?: number;
}
const ended = ({ incarnation = 1, since = 0, through, endedAt = through, outcome }: End): OutcomeChange => ({
  kind: 'ended',
  end: { incarnation, since, through, endedAt, ...(outcome === undefined ? {} : { outcome }) },
});
const weigh = (changes: readonly OutcomeChange[], now = 0, hasGivenUp = false) =>
  weighTurns(applyChanges(null, changes), { now, waitMs: WAIT_MS, hasGivenUp });
/** The outcomes that are known by now, by turn. */
const outcomes = (changes: readonly OutcomeChange[], now = 0) =>
  Object.fromEntries(weigh(changes, now).due.map(({ turnId, outcome }) => [turnId, outcome]));

describe('the outcome of a turn', () => {
  it('is awaited while the session goes on, however long', () => {
    expect(weigh([waits('a', 10)], 1e12)).toEqual({ due: [], nextAt: null });
  });

  it('comes with the end, or as feedback before or after it', () => {
    expect(outcomes([waits('a', 10), ended({ through: 20, outcome: 0.5 })], 20)).toEqual({ a: 0.5 });
    expect(outcomes([waits('a', 10), said('f', 15, -1)], 15)).toEqual({ a: -1 });
    expect(outcomes([waits('a', 10), ended({ through: 20 }), said('f', 120, 2)], 120)).toEqual({ a: 2 });
    expect(outcomes([waits('a', 10), said('f', 30, 2), ended({ through: 20, outcome: 0.5 })], 30)).toEqual({ a: 0.5 });
  });

  it('is given up when the wait after the end is over, and not before', () => {
    const changes = [waits('a', 10), ended({ through: 20, endedAt: 30 })];
    expect(weigh(changes, 129)).toEqual({ due: [], nextAt: 130 });
    expect(weigh(changes, 130)).toEqual({ due: [{ turnId: 'a', outcome: null }], nextAt: null });
    expect(outcomes([...changes, said('late', 131, 1)], 131)).toEqual({ a: null });
  });

  it('is the first that was said after the turn; the last turns take an earlier one when nobody says another', () => {
    const changes = [waits('a', 10), waits('b', 30), said('f', 20, -1), said('g', 15, 0.5)];
    expect(outcomes(changes, 30)).toEqual({ a: 0.5 });
    expect(outcomes([...changes, ended({ through: 40 })], 40)).toEqual({ a: 0.5, b: -1 });
    expect(outcomes([...changes, ended({ through: 40, outcome: 1 })], 40)).toEqual({ a: 0.5, b: 1 });
  });

  it('is of its own incarnation', () => {
    const first = ended({ through: 20, outcome: 1 });
    const second = ended({ incarnation: 2, since: 20, through: 40 });
    expect(outcomes([first, waits('b', 30)], 30)).toEqual({});
    expect(outcomes([first, waits('b', 30), second], 139)).toEqual({});
    expect(outcomes([first, waits('b', 30), second], 140)).toEqual({ b: null });
    const named = ended({ incarnation: 2, since: 20, through: 40, outcome: -1 });
    expect(outcomes([first, named, waits('late', 10), waits('b', 30)], 999)).toEqual({ late: 1, b: -1 });
  });

  it('is awaited where a later end comes before its own, as long as after that end', () => {
    const second = ended({ incarnation: 2, since: 20, through: 40, endedAt: 50, outcome: -1 });
    const changes = [waits('a', 10), second, said('f', 30, 3)];
    expect(weigh(changes, 149)).toEqual({ due: [], nextAt: 150 });
    expect(outcomes([...changes, ended({ through: 20, outcome: 1 })], 50)).toEqual({ a: 1 });
    expect(outcomes([...changes, said('g', 15, 2)], 50)).toEqual({ a: 2 });
    expect(outcomes(changes, 150)).toEqual({ a: null });
  });

  it('is never that of another incarnation, in whatever order turns and ends come', () => {
    const events = [1, 2, 3, 4, 5].flatMap((incarnation) => [
      waits(`t${incarnation}`, 10 * incarnation - 5),
      ended({ incarnation, since: 10 * incarnation - 10, through: 10 * incarnation, outcome: incarnation }),
    ]);
    fc.assert(
      fc.property(fc.shuffledSubarray(events, { minLength: 1 }), (some) => {
        for (const { turnId, outcome } of weigh(some).due) expect(turnId).toBe(`t${String(outcome)}`);
      }),
    );
    expect(Object.keys(outcomes(events))).toHaveLength(5);
  });

  it('is given up by all at once where nobody is to wait any more', () => {
    expect(weigh([waits('a', 10), waits('b', 30), said('f', 20, 1)], 0, true).due).toEqual([
      { turnId: 'a', outcome: 1 },
      { turnId: 'b', outcome: null },
    ]);
  });

  it('is given up by the oldest where too many wait', () => {
    const many = Array.from({ length: 1026 }, (_, i) => waits(`t${i}`, i));
    expect(outcomes(many)).toEqual({ t0: null, t1: null });
  });
});

describe('the document of a session', () => {
  it('grows with neither outcomes nor ends', () => {
    const ids = Array.from({ length: 40 }, (_, i) => i + 1);
    const doc = applyChanges(null, [
      ...ids.map((i) => said(`f${i}`, i, i)),
      ...ids.map((i) => ended({ incarnation: i, through: i })),
    ]);
    expect(doc.said.map(({ at }) => at)).toEqual(ids.slice(-16));
    expect(doc.ends.map(({ incarnation }) => incarnation)).toEqual(ids.slice(-8));
  });

  it('keeps of an erased session the turns that came later, and nothing that was said', () => {
    const doc = applyChanges(null, [waits('old', 1), waits('new', 9), said('f', 2, 1), ended({ through: 3 })]);
    const left = applyChanges(doc, [{ kind: 'erased', turnIds: ['old'] }]);
    expect(left).toEqual({ turns: { new: 9 }, said: [], ends: [] });
    expect(isBlank(left)).toBe(false);
    expect(isBlank(applyChanges(left, [{ kind: 'left', turnIds: ['new'] }]))).toBe(true);
  });

  it('is the same in whatever order events come, and however often', () => {
    const changeArb = fc.oneof(
      fc.record({ turn: fc.nat(5) }).map(({ turn }) => waits(`t${turn}`, 10 * turn)),
      fc.record({ by: fc.nat(30) }).map(({ by }) => said(`f${by}`, (by * 7) % 60, by)),
      fc
        .record({ incarnation: fc.integer({ min: 1, max: 12 }) })
        .map(({ incarnation }) => ended({ incarnation, through: 5 * incarnation, outcome: incarnation })),
    );
    fc.assert(
      fc.property(
        fc
          .array(changeArb, { maxLength: 40 })
          .chain((changes) =>
            fc.tuple(
              fc.constant(changes),
              fc.shuffledSubarray([...changes, ...changes], { minLength: 2 * changes.length }),
            ),
          ),
        ([changes, shuffled]) => {
          expect(applyChanges(null, shuffled)).toEqual(applyChanges(null, changes));
        },
      ),
    );
  });
});
