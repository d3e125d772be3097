import type { GradedWork } from './grading';
import { taskOf, type Problem } from './problem';

/** What an answer is like. */
export interface AnswerCheck {
  readonly isRight: boolean;
  /** In the style that the user wants: a student's, or a friendly and specific comment. */
  readonly isPreferred: boolean;
}

const OPENER = /^\W*(sure|of course|great|certainly|absolutely|happy|let)\b/i;
const ASSISTANT_MARKS = [OPENER, /\*\*/, /^\s*(\d+\.|[-*])\s/m, /final answer/i];
const LONGEST_STUDENT = 80;

/** The last number that is no list marker. */
const statedResult = (answer: string): number | null => {
  const numbers = answer.replace(/^\s*\d+\.(?=\s)/gm, '').match(/\d+/g);
  return numbers === null ? null : Number(numbers.at(-1));
};

/** A homework answer: its calculation, where it writes one, and its result must both be right. */
export const checkHomework = (answer: string, problem: Problem): AnswerCheck => {
  const equations = [...answer.matchAll(/(\d+) ([-+x]) (\d+) = (\d+)/g)];
  const isSame = equations.every(
    ([, a, sign, b, result]) => `${a} ${sign} ${b}` === taskOf(problem) && Number(result) === problem.result,
  );
  return {
    isRight: isSame && statedResult(answer) === problem.result,
    isPreferred: answer.length <= LONGEST_STUDENT && !ASSISTANT_MARKS.some((mark) => mark.test(answer)),
  };
};

const SAYS_WRONG = /\b(wrong|incorrect|not right|again|once more|not quite)\b/i;
const SAYS_RIGHT = /\b(right|correct|correctly|well done)\b/i;
const WARM = /(!|\b(well done|great|good|nice|lovely|super|proud|keep)\b)/i;

/** A comment on a child's work: it says whether the work was right, and is warm and names child and task where it is wanted. */
export const checkGrading = (answer: string, { child, task, isRight }: GradedWork): AnswerCheck => {
  const saysWrong = SAYS_WRONG.test(answer);
  return {
    isRight: isRight ? SAYS_RIGHT.test(answer) && !saysWrong : saysWrong,
    isPreferred: answer.includes(child) && answer.includes(task) && WARM.test(answer),
  };
};
