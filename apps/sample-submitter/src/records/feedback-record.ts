import type { FeedbackGivenInfo, TurnFollowedInfo, TurnSettledInfo } from '@app/contracts';

/** A person's word about a turn, and what has become of that turn since; null where nothing has yet. */
export interface FeedbackParts {
  readonly session: string;
  readonly info: FeedbackGivenInfo;
  readonly text: string | null;
  readonly followed: TurnFollowedInfo | null;
  readonly settled: TurnSettledInfo | null;
}

/**
 * Whether the turn had its outcome, or words their next state, before this feedback was taken up. An outcome of the session
 * is about its other turns too and never late by itself.
 */
export const isLate = ({ info, followed, settled }: Omit<FeedbackParts, 'session' | 'text'>): boolean => {
  const { score, feedbackId, hasText } = info;
  if (score !== undefined) return settled !== null && !(settled.source === 'feedback' && settled.score === score);
  return hasText && (followed ?? settled) !== null && followed?.feedbackId !== feedbackId;
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
