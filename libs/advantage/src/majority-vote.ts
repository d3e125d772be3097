import type { Score } from './score';

interface Tally {
  readonly good: number;
  readonly bad: number;
  readonly neutral: number;
}

const tally = (scores: readonly (Score | null)[]): Tally => {
  const count = (wanted: Score): number => scores.filter((score) => score === wanted).length;
  return { good: count(1), bad: count(-1), neutral: count(0) };
};

/**
 * The most frequent of {+1, -1, 0} among the valid votes; a tie for the most votes gives 0.
 * `null` is a failed vote and counts for nothing; without a valid vote the result is null, "not judged".
 * Source: the judge's vote of OpenClaw-RL, which takes no valid vote for neutral.
 */
export const majorityVote = (scores: readonly (Score | null)[]): Score | null => {
  const { good, bad, neutral } = tally(scores);
  if (good + bad + neutral === 0) return null;
  if (good > Math.max(bad, neutral)) return 1;
  return bad > Math.max(good, neutral) ? -1 : 0;
};

/**
 * Whether `majorityVote` is already certain: no values of the votes still missing, failures included, can change it.
 * Exact, so that votes are stopped as early as possible and never too early.
 *
 * @param scores the votes that have come in, in any order
 * @param votes how many votes were asked for; the difference is missing
 */
export const isDecided = (scores: readonly (Score | null)[], votes: number): boolean => {
  const missing = Math.max(0, votes - scores.length);
  if (missing === 0) return true;
  const { good, bad, neutral } = tally(scores);
  switch (majorityVote(scores)) {
    case null:
      return false;
    case 1:
      return good > Math.max(bad, neutral) + missing;
    case -1:
      return bad > Math.max(good, neutral) + missing;
    case 0:
      return good + missing <= Math.max(bad, neutral) && bad + missing <= Math.max(good, neutral);
  }
};
