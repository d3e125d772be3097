import type { Bus } from '@app/bus';
import type { PolicyWatch } from '@app/pools';
import { BusStart } from './bus-start';
import type { Outbox } from './outbox';

/** How long a start takes with a server that is there or not, and a version that is read after so long. */
const startsAfter = async (isUp: boolean, readAfterMs: number): Promise<number> => {
  const begun = Date.now();
  const bus = { isUp, ready: () => Promise.resolve() };
  const policy = {
    run: () => Promise.resolve(),
    stop: () => undefined,
    whenKnown: async (timeoutMs: number) => {
      const leftMs = Math.min(timeoutMs, begun + readAfterMs - Date.now());
      if (leftMs > 0) await new Promise((resolve) => setTimeout(resolve, leftMs));
    },
  };
  const start = new BusStart(
    bus as unknown as Bus,
    policy as unknown as PolicyWatch,
    { send: () => undefined } as unknown as Outbox,
  );
  const took = start.onApplicationBootstrap().then(() => Date.now() - begun);
  await jest.advanceTimersByTimeAsync(60_000);
  start.onModuleDestroy();
  return took;
};

describe('BusStart', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it.each([
    ['waits until the version is read', true, 1000, 1000],
    ['waits longer for a store that its server is still making', true, 8000, 8000],
    ['serves without a store that does not come', true, Infinity, 23_000],
    ['serves soon where no server is', false, Infinity, 3000],
  ])('%s', async (_what, isUp, readAfterMs, expected) => {
    await expect(startsAfter(isUp, readAfterMs)).resolves.toBe(expected);
  });
});
