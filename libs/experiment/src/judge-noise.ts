import { hashText } from '@app/pocket-lm';

const SCORE = /\\boxed\{(-?1)\}/;

const HASHES = 2 ** 32;

/**
 * Whether a judge of this noise misreads this question: as often as `share` says, and each time that it is asked, so that a
 * turn's votes are wrong together and a redelivery changes nothing.
 * @param share in [0, 1]
 */
export const isMisread = (question: string, { share, seed }: { share: number; seed: number }): boolean =>
  hashText(`${seed} ${question}`) < share * HASHES;

/** The judge's answer with +1 for -1 and -1 for +1; a 0 stays. In both forms that a score is asked for in. */
export const flipScore = (answer: string): string => {
  if (!answer.startsWith('{')) return answer.replace(SCORE, (_, score: string) => `\\boxed{${-Number(score)}}`);
  const verdict = JSON.parse(answer) as { readonly score: number };
  return JSON.stringify({ ...verdict, score: verdict.score === 0 ? 0 : -verdict.score });
};
