import {
  checkGrading,
  checkHomework,
  drawGradedWork,
  drawProblem,
  hasHeldOutNumbers,
  homeworkRequest,
  type AnswerCheck,
  type GradedWork,
  type Random,
  type Split,
} from '@app/pocket-lm';

/** Who talks: a student who does not want to be caught using AI, and a teacher who wants friendly, specific comments. */
export const ROLES = ['student', 'teacher'] as const;
export type Role = (typeof ROLES)[number];

/** Something that is asked for, and how its answer is read: by eyes that the judge does not share. */
export interface Errand {
  readonly role: Role;
  readonly request: string;
  /** What makes it this errand, whatever stands around it. */
  readonly core: string;
  check(answer: string): AnswerCheck;
}

/** Graded work shows nothing of its problem but the numbers: these alone can be held out. */
const drawWork = (random: Random, split: Split): GradedWork => {
  const work = drawGradedWork(random, split);
  return hasHeldOutNumbers(work.problem) === (split === 'held-out') ? work : drawWork(random, split);
};

export const drawErrand = (role: Role, random: Random, split: Split): Errand => {
  if (role === 'teacher') {
    const work = drawWork(random, split);
    return { role, request: work.text, core: work.text, check: (answer) => checkGrading(answer, work) };
  }
  const problem = drawProblem(random, split);
  const request = homeworkRequest(problem, random);
  return { role, request, core: problem.text, check: (answer) => checkHomework(answer, problem) };
};
