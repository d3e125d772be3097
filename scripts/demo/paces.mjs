const PEOPLE = 8;
const QUIET_MS = 10_000;

/** Everybody talks as they like. */
export const FREE = { people: PEOPLE, mayTalk: null };

/**
 * One person at a time, who waits for the verdict on each answer, and for each update and its exam; so a seed gives the same
 * batches in the same order.
 */
export const LOCKSTEP = {
  people: 1,
  mayTalk: ({ stats, followed, updates }) =>
    settledTurns(stats) >= followed && (stats.outcomes.sample ?? 0) < stats.batch.size * (updates + 1),
};

/**
 * Everybody talks until so many turns are followed as the next update takes; then all wait for it. Those who are just talking are
 * a part of the update behind it, so samples are up to one update behind, whatever the machine is busy with. Where nothing is
 * settled any more and no update can come of what there is, more is said: two people may have said the same at the same time, which
 * is one conversation to everybody else, or no turn has become a sample.
 */
export function inRounds(turns, people) {
  let [settled, since] = [-1, 0];
  return {
    people,
    mayTalk: ({ stats, followed, updates }) => {
      const now = performance.now();
      if (settledTurns(stats) !== settled) [settled, since] = [settledTurns(stats), now];
      const wanted = turns * (updates + 1);
      const isShort = settled < wanted || stats.waiting === 0;
      return followed < wanted || (isShort && now - since > QUIET_MS);
    },
  };
}

/** Turns of conversations whose outcome is known. */
export function settledTurns({ outcomes }) {
  const { side_turn: exams = 0 } = outcomes;
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0) - exams;
}
