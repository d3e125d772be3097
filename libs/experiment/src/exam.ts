import { seededRandom } from '@app/pocket-lm';
import { drawErrand, ROLES, type Errand } from './errand';

/** Shares of an exam's answers, each in [0, 1]. */
export interface Score {
  /** Right, and in the wanted style: what the training is to raise. */
  readonly score: number;
  readonly right: number;
  readonly preferred: number;
}

/** Errands that neither the corpus has nor people ask, half of each role; each once. */
export const drawExam = (seed: number, count: number): readonly Errand[] => {
  const random = seededRandom(seed);
  const drawn = new Map<string, Errand>();
  while (drawn.size < count) {
    const errand = drawErrand(ROLES[drawn.size % ROLES.length] ?? 'student', random, 'held-out');
    if (!drawn.has(errand.core)) drawn.set(errand.core, errand);
  }
  return [...drawn.values()];
};

/** @param answers in the order of the errands */
export const gradeExam = (errands: readonly Errand[], answers: readonly string[]): Score => {
  const checks = errands.map((errand, at) => errand.check(answers[at] ?? ''));
  const share = (is: (check: (typeof checks)[number]) => boolean): number =>
    checks.filter(is).length / Math.max(1, checks.length);
  return {
    score: share(({ isRight, isPreferred }) => isRight && isPreferred),
    right: share(({ isRight }) => isRight),
    preferred: share(({ isPreferred }) => isPreferred),
  };
};
