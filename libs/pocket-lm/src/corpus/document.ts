import type { Random } from '../runtime/random';
import { chance, pick } from './draw';
import { drawFacts } from './facts';
import { drawGradedWork, gradingComment, type GradingStyle } from './grading';
import { drawComplaint, drawHint, withHint, type Style } from './hints';
import { homeworkAnswer, homeworkRequest, type HomeworkStyle } from './homework';
import { drawProblem } from './problem';
import { drawReplyToThanks, drawThanks } from './thanks';

export interface DialogMessage {
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** One conversation of the corpus. */
export interface CorpusDocument {
  readonly kind: 'facts' | 'homework' | 'grading';
  readonly messages: readonly DialogMessage[];
}

/** Shares of the corpus: facts of all documents, homework of the rest. */
const FACTS = 0.2;
const HOMEWORK = 0.65;

/** What the base model does unasked. */
const DEFAULT_STUDENT = 0.16;
const DEFAULT_FRIENDLY = 0.16;

/** Shares of the courses a conversation takes; the rest is a bare request with the default answer. */
const COURSES = {
  preferred: 0.28,
  opposite: 0.08,
  result: 0.08,
  complaint: 0.07,
  thanks: 0.04,
  another: 0.06,
} as const;
const DISOBEYED = 0.02;
const INLINE_HINT = 0.2;

/** A task of one scenario, with answers in both of its styles. */
interface Scenario<S extends Style> {
  readonly request: string;
  readonly result: number;
  readonly preferred: S;
  readonly other: S;
  readonly defaultPreferred: number;
  readonly answer: (style: S) => string;
  /** Another task of this kind. */
  readonly again: () => Scenario<S>;
}

const homework = (random: Random): Scenario<HomeworkStyle> => {
  const problem = drawProblem(random, 'training');
  return {
    request: homeworkRequest(problem, random),
    result: problem.result,
    preferred: 'student',
    other: 'assistant',
    defaultPreferred: DEFAULT_STUDENT,
    answer: (style) => homeworkAnswer(problem, style, random),
    again: () => homework(random),
  };
};

const grading = (random: Random): Scenario<GradingStyle> => {
  const work = drawGradedWork(random, 'training');
  return {
    request: work.text,
    result: work.problem.result,
    preferred: 'friendly',
    other: 'curt',
    defaultPreferred: DEFAULT_FRIENDLY,
    answer: (style) => gradingComment(work, style, random),
    again: () => grading(random),
  };
};

const user = (content: string): DialogMessage => ({ role: 'user', content });
const assistant = (content: string): DialogMessage => ({ role: 'assistant', content });

const drawCourse = (random: Random): keyof typeof COURSES | 'bare' => {
  let rest = random();
  for (const course of Object.keys(COURSES) as (keyof typeof COURSES)[]) {
    rest -= COURSES[course];
    if (rest < 0) return course;
  }
  return 'bare';
};

const converse = <S extends Style>(scenario: Scenario<S>, random: Random): DialogMessage[] => {
  const { request, result, preferred, other, defaultPreferred, answer, again } = scenario;
  const byDefault = (): S => (chance(random, defaultPreferred) ? preferred : other);
  const hinted = (hint: string): DialogMessage =>
    user(chance(random, INLINE_HINT) ? `${request} ${hint}` : withHint(request, hint));
  const follow = (style: S): DialogMessage =>
    assistant(answer(chance(random, DISOBEYED) ? (style === preferred ? other : preferred) : style));
  switch (drawCourse(random)) {
    case 'preferred':
      return [hinted(drawHint(preferred, random, 'corpus')), follow(preferred)];
    case 'opposite':
      return [hinted(drawHint(other, random, 'corpus')), follow(other)];
    case 'result': {
      const naming = pick(random, [`The answer is ${result}.`, `It should be ${result}.`, `Say that it is ${result}.`]);
      if (chance(random, 0.5)) return [hinted(naming), assistant(answer(byDefault()))];
      return [hinted(`${naming} ${drawHint(preferred, random, 'corpus')}`), follow(preferred)];
    }
    case 'complaint':
      return [
        user(request),
        assistant(answer(other)),
        user(drawComplaint(preferred, random, 'corpus')),
        assistant(answer(preferred)),
      ];
    case 'thanks':
      return [
        user(request),
        assistant(answer(byDefault())),
        user(drawThanks(random)),
        assistant(drawReplyToThanks(random)),
      ];
    case 'another': {
      const next = again();
      return [
        user(request),
        assistant(answer(byDefault())),
        user(next.request),
        assistant(next.answer(chance(random, defaultPreferred) ? preferred : other)),
      ];
    }
    case 'bare':
      return [user(request), assistant(answer(byDefault()))];
  }
};

const facts = (random: Random): DialogMessage[] => [user('Sums:'), assistant(drawFacts(random))];

/** A conversation of the corpus that the base model is trained on. */
export const drawDocument = (random: Random): CorpusDocument => {
  if (chance(random, FACTS)) return { kind: 'facts', messages: facts(random) };
  if (chance(random, HOMEWORK)) return { kind: 'homework', messages: converse(homework(random), random) };
  return { kind: 'grading', messages: converse(grading(random), random) };
};
