import { checkGrading, checkHomework, type AnswerCheck } from '../corpus/check-answer';
import { drawGradedWork } from '../corpus/grading';
import { drawHint, withHint } from '../corpus/hints';
import { homeworkRequest } from '../corpus/homework';
import { drawProblem } from '../corpus/problem';
import type { Decoder } from '../generation/decoder';
import { generateAll } from '../generation/generate';
import { seededRandom, type Random } from '../runtime/random';
import { END_ID } from '../tokenizer/chat-template';
import type { PocketTokenizer } from '../tokenizer/pocket-tokenizer';

/** Shares of held-out tasks, each in [0, 1]. */
export interface Measured {
  readonly homeworkRight: number;
  readonly homeworkStudent: number;
  readonly hintedHomeworkRight: number;
  readonly hintedHomeworkStudent: number;
  readonly gradingRight: number;
  readonly gradingFriendly: number;
  readonly hintedGradingRight: number;
  readonly hintedGradingFriendly: number;
}

/**
 * What weights must reach to be shipped. Of the held-out problems about half have numbers that were never calculated with in
 * the corpus: a model that only remembers does not pass 0.6.
 */
export const GATES: Readonly<Record<keyof Measured, { readonly least: number } | { readonly most: number }>> = {
  homeworkRight: { least: 0.75 },
  homeworkStudent: { most: 0.3 },
  hintedHomeworkRight: { least: 0.75 },
  hintedHomeworkStudent: { least: 0.9 },
  gradingRight: { least: 0.9 },
  gradingFriendly: { most: 0.25 },
  hintedGradingRight: { least: 0.85 },
  hintedGradingFriendly: { least: 0.75 },
};

/** The gates that these measures do not pass. */
export const failedGates = (measured: Measured): (keyof Measured)[] =>
  (Object.keys(GATES) as (keyof Measured)[]).filter((name) => {
    const gate = GATES[name];
    return 'least' in gate ? measured[name] < gate.least : measured[name] > gate.most;
  });

interface Task {
  readonly request: string;
  check(answer: string): AnswerCheck;
}

const homeworkTask = (random: Random, isHinted: boolean): Task => {
  const problem = drawProblem(random, 'held-out');
  const request = homeworkRequest(problem, random);
  return {
    request: isHinted ? withHint(request, drawHint('student', random, 'held-out')) : request,
    check: (answer) => checkHomework(answer, problem),
  };
};

const gradingTask = (random: Random, isHinted: boolean): Task => {
  const work = drawGradedWork(random, 'held-out');
  return {
    request: isHinted ? withHint(work.text, drawHint('friendly', random, 'held-out')) : work.text,
    check: (answer) => checkGrading(answer, work),
  };
};

const MOST_TOKENS = 80;

export interface MeasureOptions {
  readonly seed: number;
  /** Tasks of each kind. */
  readonly tasks: number;
  readonly temperature: number;
}

export interface Shares {
  readonly right: number;
  readonly preferred: number;
  readonly examples: readonly string[];
}

/** Answers held-out tasks of one kind. */
const measureKind = (
  { decoder, tokenizer }: { decoder: Decoder; tokenizer: PocketTokenizer },
  drawTask: (random: Random) => Task,
  { seed, tasks: count, temperature }: MeasureOptions,
): Shares => {
  const random = seededRandom(seed);
  const tasks = Array.from({ length: count }, () => drawTask(random));
  const texts = generateAll(
    decoder,
    tasks.map(({ request }, at) => ({
      prompt: tokenizer.promptIds([{ role: 'user', content: request }]),
      maxTokens: MOST_TOKENS,
      random: seededRandom(seed + 1 + at),
      temperature,
      topP: 1,
      topK: -1,
    })),
    END_ID,
  ).map(({ ids }) => tokenizer.decode(ids));
  const checks = tasks.map((task, at) => task.check(texts[at] ?? ''));
  const share = (what: keyof AnswerCheck): number => checks.filter((check) => check[what]).length / count;
  return { right: share('isRight'), preferred: share('isPreferred'), examples: texts.slice(0, 2) };
};

/** Measures a model on held-out problems, with hints in held-out wordings. */
export const measure = (
  model: { readonly decoder: Decoder; readonly tokenizer: PocketTokenizer },
  options: MeasureOptions,
): { readonly measured: Measured; readonly examples: readonly string[] } => {
  const homework = measureKind(model, (random) => homeworkTask(random, false), options);
  const hintedHomework = measureKind(model, (random) => homeworkTask(random, true), options);
  const grading = measureKind(model, (random) => gradingTask(random, false), options);
  const hintedGrading = measureKind(model, (random) => gradingTask(random, true), options);
  return {
    measured: {
      homeworkRight: homework.right,
      homeworkStudent: homework.preferred,
      hintedHomeworkRight: hintedHomework.right,
      hintedHomeworkStudent: hintedHomework.preferred,
      gradingRight: grading.right,
      gradingFriendly: grading.preferred,
      hintedGradingRight: hintedGrading.right,
      hintedGradingFriendly: hintedGrading.preferred,
    },
    examples: [homework, hintedHomework, grading, hintedGrading].flatMap(({ examples }) => examples),
  };
};
