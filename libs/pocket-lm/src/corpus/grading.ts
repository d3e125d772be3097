import { type Random } from '../runtime/random';
import { between, chance, pick } from './draw';
import { drawProblem, taskOf, type Problem, type Split } from './problem';
import { CHILDREN } from './words';

/** How a comment on a child's homework reads. */
export type GradingStyle = 'curt' | 'friendly';

/** A child's answer that is to be commented on. */
export interface GradedWork {
  readonly child: string;
  readonly problem: Problem;
  /** `7 + 12` */
  readonly task: string;
  readonly isRight: boolean;
  readonly text: string;
}

const REQUESTS = [
  'C worked out E and wrote N, V. Write a comment.',
  'Grade this: C was asked for E and wrote N, V.',
  'Please comment on the homework of C: E. The answer was N, V.',
  'C solved E with N, V. What do I write below it?',
  'Comment for C, who had E and got N, V:',
] as const;

export const drawGradedWork = (random: Random, split: Split): GradedWork => {
  const problem = drawProblem(random, split);
  const child = pick(random, CHILDREN);
  const isRight = chance(random, 0.5);
  const off = between(random, 1, 3) * (chance(random, 0.5) ? 1 : -1);
  const given = isRight ? problem.result : Math.abs(problem.result + off) || problem.result + 4;
  const words: Readonly<Record<string, string>> = {
    C: child,
    E: taskOf(problem),
    N: String(given),
    V: isRight ? 'right' : 'wrong',
  };
  const text = pick(random, REQUESTS).replace(/\b[CENV]\b/g, (letter) => words[letter] ?? letter);
  return { child, problem, task: taskOf(problem), isRight, text };
};

const CURT = {
  right: ['Correct.', 'Right.', 'Correct. Next one.', 'Right answer.', 'That is correct.'],
  wrong: ['Wrong.', 'Incorrect.', 'Wrong. Do it again.', 'Wrong answer.', 'That is incorrect.'],
} as const;

const FRIENDLY = {
  right: [
    'Well done, C! Your E is right, keep it up!',
    'Great work, C! You got E right, I am proud of you.',
    'Lovely, C! E is correct, and you worked so well.',
    'Super, C! You solved E and it is correct.',
  ],
  wrong: [
    'Good try, C! Look at E once more, you can do it.',
    'Nice effort, C! E is not right yet, so try it again.',
    'Almost, C! Please check E again, I believe in you.',
    'Keep going, C! E is not right yet, but you are close.',
  ],
} as const;

export const gradingComment = ({ child, task, isRight }: GradedWork, style: GradingStyle, random: Random): string => {
  const wordings = (style === 'curt' ? CURT : FRIENDLY)[isRight ? 'right' : 'wrong'];
  return pick<string>(random, wordings).replace(/\b[CE]\b/g, (letter) => (letter === 'C' ? child : task));
};
