import type { ChainEntry, ChainFollower, ChainTurn } from './chain-entry';

/** Turns and followers that one entry keeps; the oldest go first. */
const MAX_LISTED = 32;

export const EMPTY_ENTRY: ChainEntry = { turns: [], followers: [] };

/** A turn and the request that carries its next state. */
export interface Pair {
  readonly turn: ChainTurn;
  readonly follower: ChainFollower;
}

/**
 * `any-free`: the entry is one conversation, which several clients may have word by word: a follower takes the latest free turn.
 * `only-one`: the entry is one answer of a session, or one with what it answered: where two turns gave it, none is meant. A
 * lost sample is better than the reward of another turn.
 */
export type PairingRule = 'any-free' | 'only-one';

const byTime = (a: { id: string; at: number }, b: { id: string; at: number }): number =>
  a.at - b.at || (a.id < b.id ? -1 : 1);

const insert = <Item extends { id: string; at: number }>(list: Item[], item: Item): Item[] =>
  list.some(({ id }) => id === item.id) ? list : [...list, item].sort(byTime).slice(-MAX_LISTED);

const affinity = (turn: ChainTurn, follower: ChainFollower): number =>
  (follower.session !== undefined && turn.session === follower.session ? 2 : 0) +
  (follower.narrow !== undefined && turn.narrow === follower.narrow ? 1 : 0);

/** Another program's conversation may have the same words; only a session's name says that it is the same one. */
const isForeign = (turn: ChainTurn, follower: ChainFollower): boolean =>
  turn.session !== follower.session &&
  turn.client !== undefined &&
  follower.client !== undefined &&
  turn.client !== follower.client;

/** Turns that a follower may continue, by time. */
const candidates = (turns: readonly ChainTurn[], follower: ChainFollower): readonly ChainTurn[] =>
  turns.filter((turn) => turn.id !== follower.id && turn.at <= follower.at && !isForeign(turn, follower));

/** Turns that resemble the follower most (same session, then same narrow), taken ones included, by time. */
const closestTurns = (earlier: readonly ChainTurn[], follower: ChainFollower): readonly ChainTurn[] => {
  const best = Math.max(...earlier.map((turn) => affinity(turn, follower)));
  return earlier.filter((turn) => affinity(turn, follower) === best);
};

/**
 * The turn that a request continues: under rule `any-free` the latest free one among the closest, else the latest one; null if there is none.
 * Latest, not oldest: an equal conversation that was abandoned long ago must not catch what belongs to one going on now,
 * and a late follower of an older turn still finds that one free.
 */
export const parentOf = (
  entry: ChainEntry,
  follower: ChainFollower,
  rule: PairingRule = 'any-free',
): ChainTurn | null => {
  const earlier = candidates(entry.turns, follower);
  if (rule === 'only-one') return earlier.length === 1 ? (earlier[0] ?? null) : null;
  const closest = closestTurns(earlier, follower);
  return closest.findLast((turn) => turn.followedBy === undefined) ?? closest.at(-1) ?? null;
};

/** Pairs what can be paired: a follower follows one turn at most, a turn is followed by one follower at most. */
const pairUp = (entry: ChainEntry, rule: PairingRule): ChainEntry =>
  entry.followers.reduce((current, follower) => {
    if (follower.follows !== undefined || follower.withdrawn === true) return current;
    const turn = parentOf(current, follower, rule);
    if (turn === null || turn.followedBy !== undefined) return current;
    return {
      turns: current.turns.map((each) => (each.id === turn.id ? { ...each, followedBy: follower.id } : each)),
      followers: current.followers.map((each) => (each.id === follower.id ? { ...each, follows: turn.id } : each)),
    };
  }, entry);

/** The entry with a completed turn; the same object if it stands there already. */
export const addTurn = (entry: ChainEntry, turn: ChainTurn, rule: PairingRule = 'any-free'): ChainEntry => {
  const turns = insert(entry.turns, turn);
  return turns === entry.turns ? entry : pairUp({ ...entry, turns }, rule);
};

/** The entry with a follower; the same object if it stands there already. */
export const addFollower = (entry: ChainEntry, follower: ChainFollower, rule: PairingRule = 'any-free'): ChainEntry => {
  const followers = insert(entry.followers, follower);
  return followers === entry.followers ? entry : pairUp({ ...entry, followers }, rule);
};

/** The entry with a follower that no longer waits here; one that has a possible turn meanwhile stays. */
export const withdraw = (entry: ChainEntry, follower: ChainFollower): ChainEntry =>
  parentOf(entry, follower) !== null
    ? entry
    : {
        ...entry,
        followers: entry.followers.map((each) => (each.id === follower.id ? { ...each, withdrawn: true } : each)),
      };

/** Whether a follower has given up on this entry. */
export const hasWithdrawn = (entry: ChainEntry, followerId: string): boolean =>
  entry.followers.some(({ id, withdrawn }) => id === followerId && withdrawn === true);

/** Pairs that one turn id is part of, on either side, and that are to be judged. */
export const pairsOf = (entry: ChainEntry, id: string): readonly Pair[] =>
  entry.followers.flatMap((follower) => {
    const turn = entry.turns.find((each) => each.id === follower.follows);
    const isWanted = turn?.judge === true && (turn.id === id || follower.id === id);
    return isWanted ? [{ turn, follower }] : [];
  });
