import type { Settings } from '@app/config';
import type { FeedbackDto } from './feedback.dto';

/** What has become of an answer before a person speaks of it. */
export interface AnswerState {
  /** `sample`, or the reason why none; null: nothing yet. */
  readonly outcome: string | null;
  /** A reply, a tool's result or a person's words are its next state. */
  readonly isFollowed: boolean;
}

/**
 * Why a feedback is kept and changes nothing of what is trained on, in words; null where it counts, as far as can be known
 * when it is given.
 */
export const whyOnlyKept = (
  { score, text, outcome }: Pick<FeedbackDto, 'score' | 'text' | 'outcome'>,
  state: AnswerState,
  { rl, reward }: Pick<Settings, 'rl' | 'reward'>,
): string | null => {
  const settled = state.outcome === null ? null : `the answer is settled already (${state.outcome})`;
  const followed = state.isFollowed ? 'the answer has been followed already, and is judged by that' : null;
  const reasons = [
    score === undefined ? [] : [rl.usesScores ? settled : 'rl.algorithm = "opd" trains on no scores'],
    text === undefined ? [] : [settled ?? followed],
    outcome === undefined
      ? []
      : [reward.integrated ? null : 'outcomes of sessions do not count: reward.integrated is off'],
  ].flat();
  if (reasons.includes(null)) return null;
  return [...new Set(reasons)].join('; ');
};
