import fc from 'fast-check';
import { parseSessionDocument, type SessionDocument } from '@app/contracts';
import {
  applyChanges,
  concludeEnd,
  decideEnd,
  endingTurns,
  isDue,
  overdueTurns,
  type SessionChange,
} from './session-state';

const arrived = (turnId: string, at: number): SessionChange => ({ kind: 'arrived', turnId, at });
const completed = (turnId: string, at: number, rest: { judge?: boolean; done?: boolean } = {}): SessionChange => ({
  kind: 'completed',
  turnId,
  at,
  judge: true,
  done: false,
  sequence: at,
  ...rest,
});
const released = (turnId: string): SessionChange => ({ kind: 'released', turnId });
const closed = (requestId: string, at: number, outcome?: number): SessionChange => ({
  kind: 'closed',
  requestId,
  at,
  sequence: at,
  outcome,
});

const after = (...changes: SessionChange[]): SessionDocument => applyChanges(null, changes)!;
const ended = (doc: SessionDocument): SessionDocument => concludeEnd(decideEnd(doc));

describe('a session document', () => {
  it('holds a turn from its arrival until it is followed', () => {
    const open = after(arrived('a', 1), completed('a', 1));
    expect(open.turns).toEqual({ a: { arrivedAt: 1, completed: true, open: true } });
    const next = applyChanges(open, [released('a')])!;
    expect(next.turns).toEqual({});
    expect(next.seen).toEqual(['a']);
  });

  it('waits for the end of an answer that is followed before it is known to be complete', () => {
    const early = after(arrived('a', 1), released('a'));
    expect(early.turns).toEqual({ a: { arrivedAt: 1, completed: false, open: false } });
    expect(applyChanges(early, [completed('a', 1)])!.turns).toEqual({});
  });

  it('does not hold a turn that is not judged', () => {
    expect(after(arrived('a', 1), completed('a', 1, { judge: false })).turns).toEqual({});
  });

  it('knows the last answer that was given, whatever the order', () => {
    expect(after(completed('b', 2), completed('a', 1)).lastTurn).toBe('b');
    expect(after(completed('a', 1), completed('b', 2), completed('c', 3, { judge: false })).lastTurn).toBe('b');
  });

  it('ends with the turn that said so, once it is complete', () => {
    const doc = after(arrived('a', 1));
    expect(isDue(doc)).toBe(false);
    const done = applyChanges(doc, [completed('a', 1, { done: true })])!;
    expect(isDue(done)).toBe(true);
    expect(endingTurns(decideEnd(done))).toEqual({ withoutNextState: ['a'], lost: [] });
    expect(ended(done)).toMatchObject({ state: 'announced', incarnation: 1, turns: {}, seen: ['a'], lastTurn: 'a' });
  });

  it('says after an end since when the next incarnation has been going on', () => {
    const first = ended(after(arrived('a', 1), completed('a', 1, { done: true })));
    expect(first.since).toBe(1);
    const second = ended(applyChanges(first, [arrived('b', 7), completed('b', 7, { done: true })])!);
    expect(second).toMatchObject({ incarnation: 2, since: 7 });
  });

  it('lets a running answer finish before a closed session ends', () => {
    const doc = after(arrived('a', 1), closed('r', 5, 0.5));
    expect(isDue(doc)).toBe(false);
    expect(isDue(applyChanges(doc, [completed('a', 1)])!)).toBe(true);
  });

  it('takes turns up to the end only; later ones begin the next incarnation', () => {
    const doc = after(completed('a', 1), completed('b', 9), closed('r', 5));
    expect(isDue(doc)).toBe(true);
    expect(endingTurns(decideEnd(doc)).withoutNextState).toEqual(['a']);
    expect(ended(doc)).toMatchObject({
      state: 'open',
      incarnation: 2,
      turns: { b: { completed: true } },
      seen: ['r', 'a'],
    });
    expect(ended(doc).end).toBeUndefined();
  });

  it('reaches up to its last answer where it went quiet, also if that was followed', () => {
    expect(decideEnd(after(completed('a', 1), completed('b', 4), released('b'))).end).toEqual({ cause: 'idle', at: 4 });
  });

  it('names as lost what never completed when the session went quiet', () => {
    const doc = decideEnd(after(arrived('a', 1), completed('b', 2), completed('c', 3), released('c')));
    expect(doc.end?.cause).toBe('idle');
    expect(endingTurns(doc)).toEqual({ withoutNextState: ['b'], lost: ['a'] });
  });

  it('opens the next incarnation for a new turn, and for none that it knows', () => {
    const over = ended(after(completed('a', 1)));
    for (const late of [arrived('a', 1), completed('a', 1), released('a')])
      expect(applyChanges(over, [late])).toBe(over);
    expect(applyChanges(over, [arrived('b', 2)])).toMatchObject({ state: 'open', incarnation: 2, seen: ['a'] });
  });

  it('keeps the outcome of a close request, also one that comes after the end', () => {
    expect(after(completed('a', 1, { done: true }), closed('r', 2, 1)).end).toEqual({
      cause: 'closed',
      at: 2,
      sequence: 2,
      outcome: 1,
    });
    const over = ended(after(completed('a', 1, { done: true })));
    expect(applyChanges(over, [closed('r', 2)])).toBe(over);
    const again = applyChanges(over, [closed('r', 2, 1)])!;
    expect(again).toMatchObject({ state: 'open', incarnation: 2, end: { outcome: 1 } });
    expect(isDue(again)).toBe(true);
    const overAgain = ended(again);
    expect(applyChanges(overAgain, [closed('r', 2, 1)])).toBe(overAgain);
  });

  it('knows of an outcome that comes elsewhere before it knows the turn', () => {
    const early = after(released('a'));
    expect(applyChanges(early, [arrived('a', 1), completed('a', 1)])).toMatchObject({ turns: {}, lastTurn: 'a' });
  });

  it('lets the oldest answers go that wait beyond the bound', () => {
    const doc = after(...Array.from({ length: 260 }, (_, i) => completed(`t${i}`, i)), arrived('running', 0));
    expect(overdueTurns(doc)).toEqual(['t0', 't1', 't2', 't3']);
  });

  it('stays under 4 KB in a long session', () => {
    const changes = Array.from({ length: 500 }, (_, i) => {
      const id = `00000000-0000-4000-8000-${String(i).padStart(12, '0')}`;
      return [arrived(id, i), completed(id, i), ...(i > 490 ? [] : [released(id)])];
    });
    expect(JSON.stringify(after(...changes.flat())).length).toBeLessThan(4096);
  });

  it('is the same for every order and repetition of the same changes', () => {
    const turn = fc.record({
      judge: fc.boolean(),
      done: fc.boolean(),
      isReleased: fc.boolean(),
      isComplete: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 1, maxLength: 5 }), fc.infiniteStream(fc.nat()), (turns, keys) => {
        const changes = turns.flatMap(({ judge, done, isReleased, isComplete }, i) => [
          arrived(`t${i}`, i),
          ...(isComplete ? [completed(`t${i}`, i, { judge, done })] : []),
          // Nothing follows the turn that ends its session.
          ...(isReleased && !done && isComplete ? [released(`t${i}`)] : []),
        ]);
        const inOrder = after(...changes);
        const shuffled = [...changes, ...changes]
          .map((change) => ({ change, key: keys.next().value! }))
          .sort((a, b) => a.key - b.key)
          .map(({ change }) => change);
        const anyOrder = after(...shuffled);
        const sorted = (doc: SessionDocument) => ({ ...doc, seen: [...doc.seen].sort() });
        expect(sorted(anyOrder)).toEqual(sorted(inOrder));
        expect(() => parseSessionDocument(JSON.parse(JSON.stringify(anyOrder)))).not.toThrow();
      }),
    );
  });
});
