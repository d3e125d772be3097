import { isLate, toFeedbackRecord, type FeedbackParts } from './feedback-record';

const GIVEN_AT = 1000;
const [BEFORE, SAME, AFTER] = [{ settledAt: 999 }, { settledAt: 1000 }, { settledAt: 1001 }];

const parts = (more: Partial<FeedbackParts['info']>, state: Partial<FeedbackParts> = {}): FeedbackParts => ({
  session: 's',
  info: { turnId: 't', feedbackId: 'f', scope: 'scope', givenAt: GIVEN_AT, hasText: false, ...more },
  text: null,
  settledAt: null,
  nextStateAt: null,
  ...state,
});

describe('feedback', () => {
  it.each([
    ['a score on a turn without an outcome', parts({ score: 1 }), false],
    ['a score on a turn that something has followed', parts({ score: 1 }, { nextStateAt: 1 }), false],
    ['a score that made the outcome in the same moment', parts({ score: 1 }, SAME), false],
    ['a score on a turn that was excluded after it', parts({ score: 1 }, AFTER), false],
    ['a score after the outcome, be that of the same score', parts({ score: 1 }, BEFORE), true],
    ['a text on an open turn', parts({ hasText: true }), false],
    ['the text that is the next state', parts({ hasText: true }, { nextStateAt: GIVEN_AT, ...AFTER }), false],
    ['a text before the next state', parts({ hasText: true }, { nextStateAt: 1001 }), false],
    ['a text after the next state', parts({ hasText: true }, { nextStateAt: 999 }), true],
    ['a text before the end', parts({ hasText: true }, AFTER), false],
    ['a text after the end', parts({ hasText: true }, BEFORE), true],
    ['a score with a text after the next state', parts({ score: 1, hasText: true }, { nextStateAt: 999 }), false],
    ['an outcome of the session', parts({ outcome: 1 }, { nextStateAt: 1, ...BEFORE }), false],
  ])('of %s is late: see the table', (_name, given, late) => {
    expect(isLate(given)).toBe(late);
  });

  it('is a line of its own, beside the turn', () => {
    const given = parts({ score: -1, hasText: true, outcome: 0.5 }, { text: 'No.', ...BEFORE });
    expect(toFeedbackRecord(given)).toEqual({
      kind: 'feedback',
      feedback_id: 'f',
      turn_id: 't',
      session_key: 's',
      given_at: GIVEN_AT,
      score: -1,
      text: 'No.',
      session_outcome: 0.5,
      late: true,
    });
  });
});
