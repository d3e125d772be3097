import type { GivenFeedback } from './feedback.service';

/** What whoever gives feedback is told of it. `kept`: it changes nothing of what is trained on, for this reason. */
export type FeedbackAnswer = { feedback_id: string; turn_id: string } & (
  { status: 'accepted' } | { status: 'kept'; reason: string }
);

export const answerOf = ({ feedbackId, turnId, onlyKept }: GivenFeedback): FeedbackAnswer => {
  const ids = { feedback_id: feedbackId, turn_id: turnId };
  return onlyKept === null ? { ...ids, status: 'accepted' } : { ...ids, status: 'kept', reason: onlyKept };
};
