import type { HintVote } from './parse-hint';
import { trimSpace } from './trim-space';

/** A hint has to be longer, in code points. */
const TOO_SHORT = 10;

const lengthOf = (hint: string): number => Array.from(trimSpace(hint)).length;

/**
 * Which vote's hint is used: the longest among those of the votes that decided 1, measured in code points without white
 * space around it, of more than ten; the first of equals. null if there is none. A failed vote is null.
 */
export const selectHint = (votes: readonly (HintVote | null)[]): number | null => {
  let selected: number | null = null;
  let longest = TOO_SHORT;
  votes.forEach((vote, i) => {
    const length = vote?.decision === 1 ? lengthOf(vote.hint) : 0;
    if (length <= longest) return;
    selected = i;
    longest = length;
  });
  return selected;
};
