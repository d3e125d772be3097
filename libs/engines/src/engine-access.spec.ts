import { Breaker } from './breaker';
import { EngineAccess } from './engine-access';
import { BreakerOpenError, EngineStatusError, EngineTimeoutError, type EngineError } from './engine-errors';
import { Limiter } from './limiter';

const signal = new AbortController().signal;
const accept = () => true;

const setUp = (options: { attempts?: number; failures?: number; places?: number; firstDelayMs?: number } = {}) => {
  const { attempts = 3, failures = 100, places = 4, firstDelayMs = 0 } = options;
  const time = { now: 0 };
  const failed: EngineError[] = [];
  const breakerStates: boolean[] = [];
  const access = new EngineAccess({
    limiter: new Limiter(places),
    breaker: new Breaker({ failures, openMs: 1000 }),
    retry: { attempts, firstDelayMs, longestDelayMs: firstDelayMs },
    spread: () => 1,
    clock: () => time.now,
    onFailure: (error) => failed.push(error),
    onBreaker: (open) => breakerStates.push(open),
  });
  return { access, time, failed, breakerStates };
};

/** A call that gives the outcomes one after the other, the last one for ever. */
const script = (...outcomes: unknown[]) => {
  let calls = 0;
  const call = (): Promise<string> => {
    const outcome = outcomes[Math.min(calls, outcomes.length - 1)];
    calls += 1;
    return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome as string);
  };
  return { call, calls: () => calls };
};

describe('EngineAccess', () => {
  it.each([408, 425, 429, 500, 502, 503, 529])('asks again after status %d', async (status) => {
    const { call, calls } = script(new EngineStatusError(status), 'good');
    await expect(setUp().access.ask(call, { signal, accept })).resolves.toBe('good');
    expect(calls()).toBe(2);
  });

  it.each([301, 400, 401, 402, 403, 404, 413, 422])('does not ask again after status %d', async (status) => {
    const { call, calls } = script(new EngineStatusError(status), 'good');
    await expect(setUp().access.ask(call, { signal, accept })).rejects.toMatchObject({ status });
    expect(calls()).toBe(1);
  });

  it('gives up after the last attempt, with what that one threw', async () => {
    const { access, failed } = setUp({ attempts: 3 });
    const { call, calls } = script(new EngineStatusError(500), new EngineTimeoutError(5));
    await expect(access.ask(call, { signal, accept })).rejects.toThrow(EngineTimeoutError);
    expect([calls(), failed.length]).toEqual([3, 3]);
  });

  it('asks again for a reply that will not do, and returns the last one', async () => {
    const { call, calls } = script('bad', 'worse');
    await expect(setUp().access.ask(call, { signal, accept: (reply) => reply === 'good' })).resolves.toBe('worse');
    expect(calls()).toBe(3);
  });

  it('opens after failures in a row and makes no call until the time is over', async () => {
    const { access, time, breakerStates } = setUp({ attempts: 5, failures: 2 });
    const down = script(new EngineStatusError(503));
    await expect(access.ask(down.call, { signal, accept })).rejects.toThrow(BreakerOpenError);
    expect([down.calls(), access.isOpen, access.pauseMs()]).toEqual([2, true, 1000]);
    time.now = 999;
    await expect(access.ask(down.call, { signal, accept })).rejects.toMatchObject({ retryAfterMs: 1 });
    expect(down.calls()).toBe(2);
    time.now = 1000;
    await expect(access.ask(script('back').call, { signal, accept })).resolves.toBe('back');
    expect(breakerStates).toEqual([true, false]);
  });

  it('lets one call find out while the others wait for how it ends', async () => {
    const { access, time } = setUp({ attempts: 1, failures: 1 });
    await expect(access.ask(script(new EngineTimeoutError(1)).call, { signal, accept })).rejects.toThrow();
    time.now = 1000;
    let answer: (reply: string) => void = () => undefined;
    const probe = access.ask(() => new Promise<string>((resolve) => (answer = resolve)), { signal, accept });
    const other = script('other');
    const waiting = access.ask(other.call, { signal, accept });
    await new Promise((resolve) => setImmediate(resolve));
    expect(other.calls()).toBe(0);
    answer('probe');
    await expect(Promise.all([probe, waiting])).resolves.toEqual(['probe', 'other']);
  });

  it('sends the others away when the probe fails', async () => {
    const { access, time } = setUp({ attempts: 1, failures: 1 });
    const down = script(new EngineTimeoutError(1));
    await expect(access.ask(down.call, { signal, accept })).rejects.toThrow();
    time.now = 1000;
    const ends = await Promise.allSettled([1, 2, 3].map(() => access.ask(down.call, { signal, accept })));
    expect(ends.map((end) => end.status === 'rejected' && (end.reason as Error).name)).toEqual([
      'EngineTimeoutError',
      'BreakerOpenError',
      'BreakerOpenError',
    ]);
    expect(down.calls()).toBe(2);
  });

  it.each([401, 404])('takes status %d for an outage, 400 not', async (status) => {
    const { access } = setUp({ failures: 1 });
    await expect(access.ask(script(new EngineStatusError(400)).call, { signal, accept })).rejects.toThrow();
    expect(access.isOpen).toBe(false);
    await expect(access.ask(script(new EngineStatusError(status)).call, { signal, accept })).rejects.toThrow();
    expect(access.isOpen).toBe(true);
  });

  it('ends a pause when the caller gives up', async () => {
    const { access } = setUp({ firstDelayMs: 600_000 });
    const leaving = new AbortController();
    const asked = access.ask(script(new EngineStatusError(500)).call, { signal: leaving.signal, accept });
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort();
    await expect(asked).rejects.toMatchObject({ name: 'AbortError' });
  });
});
