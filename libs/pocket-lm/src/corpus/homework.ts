import type { Random } from '../runtime/random';
import { chance, pick } from './draw';
import { equationOf, type Operation, type Problem } from './problem';

/** How an answer to a homework problem reads. */
export type HomeworkStyle = 'assistant' | 'student';

const LEADS = ['', '', '', 'Homework: ', 'Question: ', 'Please solve this: ', 'Can you do this one? '] as const;

export const homeworkRequest = (problem: Problem, random: Random): string => pick(random, LEADS) + problem.text;

const OPENERS = [
  'Sure! Let us work it out.',
  'Of course! Here is how to solve it.',
  'Great question! Let us go step by step.',
  'Certainly! I am happy to help.',
] as const;

const FIRST: Readonly<Record<Operation, string>> = {
  '+': 'Start with A T.',
  '-': 'Start with A T.',
  x: 'There are A groups of B T.',
};
const SECOND: Readonly<Record<Operation, string>> = {
  '+': 'Add B:',
  '-': 'Take away B:',
  x: 'Multiply them:',
};
const UNNUMBERED: Readonly<Record<Operation, string>> = {
  '+': 'To find the total, add the numbers:',
  '-': 'To find what is left, subtract:',
  x: 'To find the total, multiply the numbers:',
};

const fill = (text: string, { a, b, thing }: Problem): string =>
  text.replace(/\b[ABT]\b/g, (letter) => ({ A: String(a), B: String(b) })[letter] ?? thing);

/** Independent habits of an assistant, each with its share. */
const HABITS = { opener: 0.55, bold: 0.65, steps: 0.65, final: 0.7 } as const;

export const assistantAnswer = (problem: Problem, random: Random): string => {
  const has = (habit: keyof typeof HABITS): boolean => chance(random, HABITS[habit]);
  const { operation, result, thing } = problem;
  const equation = has('bold') ? `**${equationOf(problem)}**` : equationOf(problem);
  const lines: string[] = has('opener') ? [pick(random, OPENERS)] : [];
  if (has('steps')) {
    lines.push(`1. ${fill(FIRST[operation], problem)}`, `2. ${fill(SECOND[operation], problem)} ${equation}`);
  } else lines.push(`${UNNUMBERED[operation]} ${equation}`);
  lines.push(has('final') ? `Final answer: ${result} ${thing}` : `So the result is ${result} ${thing}.`);
  return lines.join('\n');
};

const STUDENT = [
  'I did E, so R T.',
  'I got E so its R',
  'ok so E, that makes R T.',
  'well E so I think R',
  'hmm E, so it is R T.',
  'I think E so R T',
] as const;

export const studentAnswer = (problem: Problem, random: Random): string =>
  pick(random, STUDENT).replace(
    /\b[ERT]\b/g,
    (letter) => ({ E: equationOf(problem), R: String(problem.result) })[letter] ?? problem.thing,
  );

export const homeworkAnswer = (problem: Problem, style: HomeworkStyle, random: Random): string =>
  style === 'student' ? studentAnswer(problem, random) : assistantAnswer(problem, random);
