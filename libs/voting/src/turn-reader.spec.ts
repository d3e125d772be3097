import { NotYetError, type Bus } from '@app/bus';
import { loadSettings } from '@app/config';
import { TurnArrived, TurnCompleted, type TurnFollowedInfo } from '@app/contracts';
import { TurnReader } from './turn-reader';

const MINUTE_MS = 60_000;
const FOLLOWED: TurnFollowedInfo = { turnId: 't', session: 's', role: 'user', nextTurnId: 'next' };
const NEXT_STATE = [{ role: 'user', content: 'No, a list.' }];

/** A reader of these messages, where an answer may take three minutes. */
const readerOf = (stored: ReadonlyMap<unknown, unknown>): TurnReader => {
  const bus = { read: (definition: unknown) => Promise.resolve(stored.get(definition) ?? null) } as Pick<Bus, 'read'>;
  return new TurnReader(
    bus,
    loadSettings({ OPENCLAW_RL_SESSION_ANSWER_MINUTES: '3' }, () => null),
  );
};
const arrived = (minutesAgo: number) => ({
  info: { arrivedAt: Date.now() - minutesAgo * MINUTE_MS },
  body: { head: { nextState: NEXT_STATE } },
});
const completed = (exclusion?: string) => ({
  info: { exclusion },
  body: { head: { messages: [{ role: 'user', content: 'q' }], response: { role: 'assistant', content: 'a' } } },
});
const both = (exclusion?: string): TurnReader =>
  readerOf(
    new Map<unknown, unknown>([
      [TurnArrived, arrived(0)],
      [TurnCompleted, completed(exclusion)],
    ]),
  );

describe('TurnReader', () => {
  it('shows an answer and what followed it', async () => {
    expect(await both().read(FOLLOWED, 1)).toMatchObject({
      kind: 'turn',
      turn: { messages: [{ content: 'q' }], response: { content: 'a' }, nextState: NEXT_STATE, role: 'user' },
    });
  });

  it('leaves turns alone that nobody trains on, but for those whose record is worth having', async () => {
    expect(await both('undelivered').read(FOLLOWED, 1)).toEqual({ kind: 'excluded' });
    expect(await both('no_token_ids').read(FOLLOWED, 1)).toMatchObject({ kind: 'turn' });
  });

  it('has it delivered again while a message may be on its way', async () => {
    await expect(readerOf(new Map()).read(FOLLOWED, 1)).rejects.toBeInstanceOf(NotYetError);
    expect(await readerOf(new Map()).read(FOLLOWED, 5)).toEqual({ kind: 'lost' });
  });

  it('waits for an answer for session.answer_minutes after its request', async () => {
    const after = (minutes: number) => readerOf(new Map([[TurnArrived, arrived(minutes)]])).read(FOLLOWED, 5);
    await expect(after(2)).rejects.toBeInstanceOf(NotYetError);
    expect(await after(4)).toEqual({ kind: 'lost' });
  });
});
