import type { TurnDetail, TurnTokens } from '@app/contracts';

/** What tokens can be coloured by. */
export const LENSES = ['combined', 'teacher', 'reward', 'surprise'] as const;
export type Lens = (typeof LENSES)[number];

export const LENS_NAMES: Readonly<Record<Lens, string>> = {
  combined: 'Combined advantage',
  teacher: 'Teacher − student',
  reward: 'Reward',
  surprise: 'Surprise',
};

export const LENS_HELP: Readonly<Record<Lens, string>> = {
  combined: 'What a trainer pushes each token by: reward and teacher together, with their weights.',
  teacher: 'How much likelier the token is to the teacher, who was given the hint, than it was to the policy.',
  reward: 'The reward alone, the same for every token of the answer.',
  surprise: 'How unlikely the token was to the policy itself when it was sampled.',
};

type Sources = Pick<TurnDetail, 'sample'> & { readonly tokens: TurnTokens };

/** One value for each token; null where this cannot be told. Above 0: pushed up. */
export const valuesOf = ({ tokens, sample }: Sources, lens: Lens): readonly number[] | null => {
  switch (lens) {
    case 'combined':
      return tokens.advantages;
    case 'teacher':
      return tokens.teacherLogProbs?.map((teacher, i) => teacher - (tokens.logProbs[i] ?? NaN)) ?? null;
    case 'reward':
      return sample === null || sample.rewardWeight === 0
        ? null
        : tokens.logProbs.map(() => sample.reward * sample.rewardWeight);
    case 'surprise':
      return tokens.logProbs;
  }
};

/** Steps of colour on each side. */
export const STEPS = 8;

/** The size that gets the full colour: few tokens are larger, and those do not wash out the rest. */
export const fullScale = (values: readonly number[]): number => {
  const sizes = values.map(Math.abs).sort((a, b) => a - b);
  return Math.max(1e-6, sizes[Math.ceil((sizes.length - 1) * 0.98)] ?? 0);
};

/** The step of a value, from −8 to 8. By the square root, so that small differences show. */
export const stepOf = (value: number, scale: number): number => {
  const share = Math.sqrt(Math.min(1, Math.abs(value) / scale));
  const step = Math.round(share * STEPS);
  return value < 0 && step > 0 ? -step : step;
};

/** Name of the class that colours a token; surprise has a scale of its own, with one side only. */
export const classOf = (value: number, scale: number, lens: Lens): string => {
  const step = stepOf(value, scale);
  if (step === 0) return '';
  if (lens === 'surprise') return `s${Math.abs(step)}`;
  return step > 0 ? `p${step}` : `n${-step}`;
};

/** Places of the tokens with the largest values of either sign, largest first. */
export const strongest = (values: readonly number[], count: number): number[] =>
  values
    .map((value, i) => [Math.abs(value), i] as const)
    .sort(([a], [b]) => b - a)
    .slice(0, count)
    .map(([, i]) => i);
