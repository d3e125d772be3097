import { isLate, toFeedbackRecord, type FeedbackParts } from './feedback-record';

const parts = (more: Partial<FeedbackParts['info']>, state: Partial<FeedbackParts> = {}): FeedbackParts => ({
  session: 's',
  info: { turnId: 't', feedbackId: 'f', scope: 'scope', givenAt: 5, hasText: false, ...more },
  text: null,
  followed: null,
  settled: null,
  ...state,
});
const settled = (more: Partial<NonNullable<FeedbackParts['settled']>> = {}): FeedbackParts['settled'] => ({
  turnId: 't',
  kind: 'sample',
  settledAt: 4,
  ...more,
});
const followed = (feedbackId?: string): FeedbackParts['followed'] => ({
  turnId: 't',
  session: 's',
  role: 'user',
  ...(feedbackId === undefined ? { nextTurnId: 'next' } : { feedbackId }),
});

describe('feedback', () => {
  it.each([
    ['a score on a turn without an outcome', parts({ score: 1 }), false],
    ['a score on a turn that something has followed', parts({ score: 1 }, { followed: followed() }), false],
    [
      'the score that made the outcome',
      parts({ score: 1 }, { settled: settled({ source: 'feedback', score: 1 }) }),
      false,
    ],
    ['another score', parts({ score: -1 }, { settled: settled({ source: 'feedback', score: 1 }) }), true],
    ['a score after the votes', parts({ score: 1 }, { settled: settled({ source: 'votes', score: 1 }) }), true],
    ['a score on a turn that makes no sample', parts({ score: 1 }, { settled: settled({ kind: 'reason' }) }), true],
    ['a text on an open turn', parts({ hasText: true }), false],
    [
      'the text that is the next state',
      parts({ hasText: true }, { followed: followed('f'), settled: settled() }),
      false,
    ],
    ['a text after another', parts({ hasText: true }, { followed: followed('g') }), true],
    ['a text after the next request', parts({ hasText: true }, { followed: followed() }), true],
    ['a text after the end', parts({ hasText: true }, { settled: settled({ kind: 'reason' }) }), true],
    ['an outcome of the session', parts({ outcome: 1 }, { followed: followed(), settled: settled() }), false],
  ])('of %s is late: see the table', (_name, given, late) => {
    expect(isLate(given)).toBe(late);
  });

  it('is a line of its own, beside the turn', () => {
    const given = parts(
      { score: -1, hasText: true, outcome: 0.5 },
      { text: 'No.', settled: settled({ source: 'votes' }) },
    );
    expect(toFeedbackRecord(given)).toEqual({
      kind: 'feedback',
      feedback_id: 'f',
      turn_id: 't',
      session_key: 's',
      given_at: 5,
      score: -1,
      text: 'No.',
      session_outcome: 0.5,
      late: true,
    });
  });
});
