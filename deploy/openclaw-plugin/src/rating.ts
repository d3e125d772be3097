import type { Feedback } from './gateway';

const SCORES: Readonly<Record<string, 1 | -1 | 0>> = {
  good: 1,
  '+': 1,
  '+1': 1,
  '👍': 1,
  bad: -1,
  '-': -1,
  '-1': -1,
  '👎': -1,
  neutral: 0,
  '0': 0,
};

export const USAGE =
  'Say /rate good, /rate bad or /rate neutral, with a word on why behind it if you like: /rate bad wrong file';

/** Reads what stands behind `/rate`: a score, words, or both; null where nothing does. */
export const parseRating = (args: string): Feedback | null => {
  const [first = '', ...rest] = args.trim().split(/\s+/);
  if (first === '') return null;
  const score = SCORES[first.toLowerCase()];
  if (score === undefined) return { text: args.trim() };
  const text = rest.join(' ');
  return text === '' ? { score } : { score, text };
};
