import fc from 'fast-check';
import type { ChainEntry, ChainFollower, ChainTurn } from './chain-entry';
import { addFollower, addTurn, EMPTY_ENTRY, hasWithdrawn, pairsOf, parentOf, withdraw } from './pairing';

const turn = (id: string, at: number, rest: Partial<ChainTurn> = {}): ChainTurn => ({
  id,
  session: `s-${id}`,
  judge: true,
  at,
  ...rest,
});

const follower = (id: string, at: number, rest: Partial<ChainFollower> = {}): ChainFollower => ({
  id,
  role: 'user',
  at,
  ...rest,
});

const build = (turns: readonly ChainTurn[], followers: readonly ChainFollower[] = []): ChainEntry =>
  followers.reduce(
    (entry, each) => addFollower(entry, each),
    turns.reduce((entry, each) => addTurn(entry, each), EMPTY_ENTRY),
  );

const followedBy = (entry: ChainEntry): Record<string, string | undefined> =>
  Object.fromEntries(entry.turns.map((each) => [each.id, each.followedBy]));

describe('pairing', () => {
  it('pairs a turn and its follower, whichever comes first', () => {
    const expected = { a: 'x' };
    expect(followedBy(build([turn('a', 1)], [follower('x', 2)]))).toEqual(expected);
    expect(followedBy(addTurn(build([], [follower('x', 2)]), turn('a', 1)))).toEqual(expected);
  });

  it('lets nothing follow a turn that arrived after it', () => {
    expect(followedBy(build([turn('a', 5)], [follower('x', 2)]))).toEqual({ a: undefined });
  });

  it('gives a turn to the earliest of the followers that wait for it, and to no second one', () => {
    const entry = addTurn(build([], [follower('y', 4), follower('x', 3)]), turn('a', 1));
    expect(followedBy(entry)).toEqual({ a: 'x' });
    expect(pairsOf(entry, 'y')).toEqual([]);
  });

  it('never lets one follower follow two turns', () => {
    const entry = addTurn(build([turn('a', 1)], [follower('x', 3)]), turn('b', 2));
    expect(followedBy(entry)).toEqual({ a: 'x', b: undefined });
  });

  it('pairs every one of two clients with the same conversation', () => {
    const entry = build([turn('a', 1), turn('b', 2)], [follower('x', 3), follower('y', 4)]);
    expect(Object.values(followedBy(entry)).sort()).toEqual(['x', 'y']);
  });

  it('prefers the turn of the session that the follower names, then the same narrow', () => {
    const turns = [turn('a', 1, { session: 'A' }), turn('b', 2, { session: 'B', narrow: 'n' }), turn('c', 3)];
    expect(parentOf(build(turns), follower('x', 9, { session: 'A', narrow: 'n' }))?.id).toBe('a');
    expect(parentOf(build(turns), follower('x', 9, { narrow: 'n' }))?.id).toBe('b');
    expect(parentOf(build(turns), follower('x', 9))?.id).toBe('c');
  });

  it('takes no turn of another program, unless the session has a name or the program is not known', () => {
    const ours = turn('a', 1, { session: 'A', client: 'one' });
    expect(parentOf(build([ours]), follower('x', 9, { client: 'one' }))?.id).toBe('a');
    expect(parentOf(build([ours]), follower('x', 9, { client: 'two' }))).toBeNull();
    expect(parentOf(build([ours]), follower('x', 9, { client: 'two', session: 'B' }))).toBeNull();
    expect(parentOf(build([ours]), follower('x', 9, { client: 'two', session: 'A' }))?.id).toBe('a');
    expect(parentOf(build([ours]), follower('x', 9))?.id).toBe('a');
    expect(parentOf(build([turn('a', 1)]), follower('x', 9, { client: 'two' }))?.id).toBe('a');
  });

  it('does not take the turn of another session when its own is followed already', () => {
    const turns = [turn('a', 1, { session: 'A' }), turn('b', 2, { session: 'B' })];
    const entry = build(turns, [follower('x', 3, { session: 'A' }), follower('y', 4, { session: 'A' })]);
    expect(followedBy(entry)).toEqual({ a: 'x', b: undefined });
  });

  it('does not let an equal conversation of yesterday catch what follows today', () => {
    expect(followedBy(build([turn('old', 1), turn('new', 1000)], [follower('x', 1001)]))).toEqual({
      old: undefined,
      new: 'x',
    });
  });

  it('keeps a turn that is not judged as parent, but makes no pair of it', () => {
    const entry = build([turn('a', 1), turn('side', 2, { judge: false })], [follower('x', 3)]);
    expect(followedBy(entry)).toEqual({ a: undefined, side: 'x' });
    expect(pairsOf(entry, 'x')).toEqual([]);
  });

  it('takes a turn only if no other gave the answer before, where the entry is an answer and not a conversation', () => {
    const two = addFollower(build([turn('a', 1), turn('b', 2)]), follower('x', 3), 'only-one');
    expect(followedBy(two)).toEqual({ a: undefined, b: undefined });
    const one = addFollower(build([turn('a', 1), turn('b', 5)]), follower('x', 3), 'only-one');
    expect(followedBy(one)).toEqual({ a: 'x', b: undefined });
    expect(followedBy(addFollower(one, follower('y', 4), 'only-one'))).toEqual({ a: 'x', b: undefined });
  });

  it('leaves a follower that has gone elsewhere alone', () => {
    const gone = withdraw(build([], [follower('x', 3)]), follower('x', 3));
    expect(hasWithdrawn(gone, 'x')).toBe(true);
    expect(followedBy(addTurn(gone, turn('a', 1)))).toEqual({ a: undefined });
  });

  it('does not let a follower go that has a turn meanwhile', () => {
    const entry = build([turn('a', 1)], [follower('x', 3)]);
    expect(withdraw(entry, follower('x', 3))).toBe(entry);
  });

  it('changes nothing when the same is added again', () => {
    const entry = build([turn('a', 1)], [follower('x', 3)]);
    expect(addTurn(entry, turn('a', 1))).toBe(entry);
    expect(addFollower(entry, follower('x', 3))).toBe(entry);
  });

  it('stays small, and forgets the oldest without giving their followers away', () => {
    const many = Array.from({ length: 100 }, (_, i) => i);
    const entry = many.reduce(
      (current, i) => addFollower(addTurn(current, turn(`t${i}`, 10 * i)), follower(`f${i}`, 10 * i + 1)),
      EMPTY_ENTRY,
    );
    expect(entry.turns).toHaveLength(32);
    expect(entry.followers).toHaveLength(32);
    expect(entry.turns.every((each) => each.followedBy === each.id.replace('t', 'f'))).toBe(true);
  });

  it('pairs one to one and leaves no two apart that fit, in any order of events', () => {
    const times = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(times, fc.infiniteStream(fc.boolean()), fc.infiniteStream(fc.nat()), (ats, isTurn, keys) => {
        const items = ats.map((at) =>
          isTurn.next().value ? { turn: turn(`t${at}`, at) } : { follower: follower(`f${at}`, at) },
        );
        const shuffled = items.map((item) => ({ item, key: keys.next().value! })).sort((a, b) => a.key - b.key);
        const entry = shuffled.reduce(
          (current, { item }) => ('turn' in item ? addTurn(current, item.turn!) : addFollower(current, item.follower)),
          EMPTY_ENTRY,
        );
        const pairs = entry.turns.flatMap((each) => (each.followedBy === undefined ? [] : [each.followedBy]));
        expect(new Set(pairs).size).toBe(pairs.length);
        const free = entry.turns.filter((each) => each.followedBy === undefined);
        const waiting = entry.followers.filter((each) => !pairs.includes(each.id));
        expect(waiting.filter((each) => free.some((other) => other.at <= each.at))).toEqual([]);
      }),
    );
  });
});
