import { MAX_DELIVERIES, NotYetError, type Bus } from '@app/bus';
import { loadSettings } from '@app/config';
import { TurnArrived, TurnCompleted, TurnFollowed, TurnSettled, type FeedbackGivenInfo } from '@app/contracts';
import { RatedTurns } from './rated-turns';

const MINUTE_MS = 60_000;

/** Turns of which these messages are stored, where an answer may take three minutes. */
const turnsWith = (stored: ReadonlyMap<unknown, unknown>): RatedTurns => {
  const bus = { read: (definition: unknown) => Promise.resolve(stored.get(definition) ?? null) } as Pick<Bus, 'read'>;
  const settings = loadSettings({ OPENCLAW_RL_SESSION_ANSWER_MINUTES: '3' }, () => null);
  return new RatedTurns(bus, settings, { sessionOf: () => Promise.resolve('placed') });
};
const arrived = (minutesAgo: number): RatedTurns =>
  turnsWith(new Map([[TurnArrived, { info: { arrivedAt: Date.now() - minutesAgo * MINUTE_MS } }]]));

describe('RatedTurns', () => {
  it('has nothing to wait for where the answer is stored', async () => {
    await expect(turnsWith(new Map([[TurnCompleted, {}]])).whenAnswered('t', 1)).resolves.toBeUndefined();
  });

  it('has the rating delivered again while its turn may be on its way', async () => {
    await expect(turnsWith(new Map()).whenAnswered('t', 1)).rejects.toBeInstanceOf(NotYetError);
    await expect(turnsWith(new Map()).whenAnswered('t', MAX_DELIVERIES)).resolves.toBeUndefined();
  });

  it('waits for an answer for session.answer_minutes after its request', async () => {
    await expect(arrived(2).whenAnswered('t', MAX_DELIVERIES)).rejects.toBeInstanceOf(NotYetError);
    await expect(arrived(4).whenAnswered('t', MAX_DELIVERIES)).resolves.toBeUndefined();
  });

  describe('with words beside the rating', () => {
    const given = (minutesAgo: number): FeedbackGivenInfo => ({
      turnId: 't',
      feedbackId: 'f',
      scope: 'scope',
      givenAt: Date.now() - minutesAgo * MINUTE_MS,
      hasText: true,
      score: 1,
    });

    it.each([
      ['a next state', TurnFollowed],
      ['an outcome', TurnSettled],
    ])('waits until the turn has %s', async (_what, definition) => {
      const stored = turnsWith(new Map([[definition, { info: {} }]]));
      await expect(stored.whenFollowed(given(0), 1)).resolves.toBeUndefined();
      await expect(turnsWith(new Map()).whenFollowed(given(9), 1)).rejects.toBeInstanceOf(NotYetError);
    });

    it('waits for no longer than an answer may take', async () => {
      const nothing = turnsWith(new Map());
      await expect(nothing.whenFollowed(given(2), MAX_DELIVERIES)).rejects.toBeInstanceOf(NotYetError);
      await expect(nothing.whenFollowed(given(4), MAX_DELIVERIES)).resolves.toBeUndefined();
    });
  });
});
