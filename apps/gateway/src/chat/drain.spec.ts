import type { Outbox } from '../capture/outbox';
import type { ChatLoad } from './chat-load';
import { Drain } from './drain';

/** Drains with running answers that need `answersMs`; returns the time that was left for captured turns. */
const timeForTurns = async (answersMs: number): Promise<number> => {
  const flush = jest.fn((timeoutMs: number) => Promise.resolve(timeoutMs).then(() => undefined));
  const load = {
    close: () => 0,
    finished: (timeoutMs: number) => {
      jest.advanceTimersByTime(Math.min(answersMs, timeoutMs));
      return Promise.resolve();
    },
  };
  await new Drain(load as unknown as ChatLoad, { flush, size: 0 } as unknown as Outbox).beforeApplicationShutdown();
  return flush.mock.calls[0]![0];
};

describe('Drain', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  it.each([
    [0, 19_000],
    [2000, 17_000],
    [60_000, 4000],
  ])('after answers of %d ms gives captured turns %d ms, and ends within 20 s in all', async (answersMs, left) => {
    expect(await timeForTurns(answersMs)).toBe(left);
  });
});
