import { MAX_DELIVERIES, NotYetError, type Bus } from '@app/bus';
import { loadSettings } from '@app/config';
import { TurnArrived, TurnCompleted } from '@app/contracts';
import { TurnNotCompletedError } from './errors';
import { StoredTurns } from './stored-turns';

const MINUTE_MS = 60_000;

/** Turns of which these messages are stored, where an answer may take three minutes. */
const turnsWith = (stored: ReadonlyMap<unknown, unknown>): StoredTurns => {
  const bus = { read: (definition: unknown) => Promise.resolve(stored.get(definition) ?? null) } as Pick<Bus, 'read'>;
  return new StoredTurns(
    loadSettings({ OPENCLAW_RL_SESSION_ANSWER_MINUTES: '3' }, () => null),
    bus,
    { known: () => Promise.resolve(null), of: () => Promise.reject(new TypeError('no place is asked for')) },
  );
};
const arrived = (minutesAgo: number): StoredTurns =>
  turnsWith(new Map([[TurnArrived, { info: { arrivedAt: Date.now() - minutesAgo * MINUTE_MS } }]]));

describe('StoredTurns', () => {
  it('gives a turn whose answer is stored', async () => {
    await expect(turnsWith(new Map([[TurnCompleted, { info: 'whole' }]])).completed('t', 1)).resolves.toBe('whole');
  });

  it('has feedback delivered again while its turn may be on its way', async () => {
    await expect(arrived(2).completed('t', 1)).rejects.toBeInstanceOf(NotYetError);
  });

  it('waits for an answer for session.answer_minutes after its request', async () => {
    await expect(arrived(2).completed('t', MAX_DELIVERIES)).rejects.toBeInstanceOf(NotYetError);
    await expect(arrived(4).completed('t', MAX_DELIVERIES)).rejects.toBeInstanceOf(TurnNotCompletedError);
  });
});
