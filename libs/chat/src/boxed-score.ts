import type { Score } from '@app/advantage';
import { isRecord } from './chat-message';
import { cutThoughts } from './thinking';

const BOX = '\\boxed{';
const NUMBER = String.raw`([+-]?[01])(?:\.0+)?`;
const BOXED = new RegExp(String.raw`\\boxed\{[ \t]*(?:${NUMBER}|\\text\{[ \t]*${NUMBER}[ \t]*\})[ \t]*\}`, 'y');

const HINT_START = '[HINT_START]';
const HINT_END = '[HINT_END]';

const scoreOf = (value: unknown): Score | null => {
  if (value === 1 || value === -1) return value;
  return value === 0 ? 0 : null;
};

/** The text without its hints, in which a judge may quote a box; an unclosed hint goes to the end. */
const cutHints = (text: string): string =>
  text
    .split(HINT_START)
    .map((piece, index) => {
      if (index === 0) return piece;
      const end = piece.indexOf(HINT_END);
      return end === -1 ? '' : piece.slice(end + HINT_END.length);
    })
    .join('\n');

/** Every box of a text in order; null for one that holds no score. */
const boxesOf = (text: string): (Score | null)[] => {
  const scores: (Score | null)[] = [];
  for (let at = text.indexOf(BOX); at !== -1; at = text.indexOf(BOX, at + BOX.length)) {
    BOXED.lastIndex = at;
    const match = BOXED.exec(text);
    scores.push(match ? scoreOf(Number(match[1] ?? match[2])) : null);
  }
  return scores;
};

/** Whether a list of all three values is the last thing boxed: the rubric repeated, not a decision. */
const endsWithRubric = (scores: readonly (Score | null)[]): boolean => {
  const seen = new Set<Score>();
  let complete = false;
  for (const score of scores) {
    if (complete) seen.clear();
    if (score !== null) seen.add(score);
    complete = seen.size === 3;
  }
  return complete;
};

/**
 * The score in a judge's text, `\boxed{1}`, `\boxed{-1}` or `\boxed{0}`; the last box decides. Spaces, `1.0` and `\text{1}`
 * inside the braces are accepted, anything else in the last box is no score. Thoughts and hints are not searched.
 * null, "no verdict", also for an answer cut off in its thoughts and for one that only repeats the rubric.
 */
export const parseScore = (text: string): Score | null => {
  const spoken = cutThoughts(text);
  if (spoken === null) return null;
  const boxes = boxesOf(cutHints(spoken));
  return endsWithRubric(boxes) ? null : (boxes.at(-1) ?? null);
};

/** The score in a judge's JSON answer, `{"score": 1, …}`: the whole text is one object and the score 1, -1 or 0, else null. */
export const parseScoreJson = (text: string): Score | null => {
  const spoken = cutThoughts(text);
  if (spoken === null) return null;
  try {
    const answer: unknown = JSON.parse(spoken);
    return isRecord(answer) ? scoreOf(answer.score) : null;
  } catch {
    return null;
  }
};
