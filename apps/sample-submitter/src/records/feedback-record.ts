import type { FeedbackGivenInfo } from '@app/contracts';

/** A person's word about a turn, and what has become of that turn; times in milliseconds since 1970, null: nothing yet. */
export interface FeedbackParts {
  readonly session: string;
  readonly info: FeedbackGivenInfo;
  readonly text: string | null;
  /** When the turn got its outcome. */
  readonly settledAt: number | null;
  /** When what the turn is judged by came: the next request, or a person's words, maybe these. */
  readonly nextStateAt: number | null;
}

/**
 * Whether the turn had its outcome, or words their next state, before this feedback was given. What this feedback has brought
 * about is never earlier. An outcome of the session is about its other turns too and never late by itself.
 */
export const isLate = ({ info, settledAt, nextStateAt }: Omit<FeedbackParts, 'session' | 'text'>): boolean => {
  const { score, hasText, givenAt } = info;
  const wasBefore = (at: number | null): boolean => at !== null && at < givenAt;
  if (score !== undefined) return wasBefore(settledAt);
  return hasText && (wasBefore(settledAt) || wasBefore(nextStateAt));
};

/** One line of the records beside the turns': a person's word, as plain JSON. */
export const toFeedbackRecord = (parts: FeedbackParts): Readonly<Record<string, unknown>> => {
  const { turnId, feedbackId, givenAt, score, outcome } = parts.info;
  return {
    kind: 'feedback',
    feedback_id: feedbackId,
    turn_id: turnId,
    session_key: parts.session,
    given_at: givenAt,
    score: score ?? null,
    text: parts.text,
    session_outcome: outcome ?? null,
    late: isLate(parts),
  };
};
