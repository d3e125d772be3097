import type { Random } from '@app/pocket-lm';

/** What is done to batches to see that learning comes from the signal: with any of them the score must not climb. */
export const DISTORTIONS = ['shuffled-rewards', 'late-policy', 'late-teacher'] as const;
export type Distortion = (typeof DISTORTIONS)[number];

/** The parts of a sample, as the trainer's door hands it out, that are distorted. */
export interface Signals {
  readonly reward: { readonly score: number };
  /** [R] */
  readonly rollout_log_probs: readonly number[];
  /** [R], null without a teacher */
  readonly teacher_log_probs: readonly number[] | null;
}

/** Each value at the token behind its own. The first token gets that of the prompt's last one, a mark of the template, which is certain. */
const late = (values: readonly number[]): number[] => [0, ...values.slice(0, -1)];

/** Fisher and Yates. */
const shuffle = <Value>(values: readonly Value[], random: Random): Value[] => {
  const shuffled = [...values];
  for (let last = shuffled.length - 1; last > 0; last -= 1) {
    const other = Math.floor(random() * (last + 1));
    [shuffled[last], shuffled[other]] = [shuffled[other] as Value, shuffled[last] as Value];
  }
  return shuffled;
};

/**
 * A batch with its signals distorted: rewards that belong to other samples of the batch, or log-probs of policy or teacher
 * one token late, as an off-by-one in a capture would make them.
 */
export const distortBatch = <Sample extends Signals>(
  batch: readonly Sample[],
  distortion: Distortion,
  random: Random,
): Sample[] => {
  switch (distortion) {
    case 'shuffled-rewards': {
      const rewards = shuffle(
        batch.map(({ reward }) => reward),
        random,
      );
      return batch.map((sample, at) => ({ ...sample, reward: rewards[at] ?? sample.reward }));
    }
    case 'late-policy':
      return batch.map((sample) => ({ ...sample, rollout_log_probs: late(sample.rollout_log_probs) }));
    case 'late-teacher':
      return batch.map((sample) => ({
        ...sample,
        teacher_log_probs: sample.teacher_log_probs === null ? null : late(sample.teacher_log_probs),
      }));
  }
};
