import { EngineAccess, type AccessGate } from './engine-access';
import { BreakerOpenError, EngineStatusError, EngineTimeoutError, type EngineError } from './engine-errors';
import { Limiter } from './limiter';

const signal = new AbortController().signal;
const accept = () => true;

interface Options {
  attempts?: number;
  failures?: number;
  places?: number;
  firstDelayMs?: number;
  forgetMs?: number;
  engines?: string[];
  gate?: AccessGate | null;
  preferred?: () => string[];
}

const setUp = (options: Options = {}) => {
  const { attempts = 3, failures = 100, places = 4, firstDelayMs = 0, engines = ['a'], gate = null } = options;
  const time = { now: 0 };
  const failed: EngineError[] = [];
  const breakerStates: boolean[] = [];
  const access = new EngineAccess({
    engines,
    limiter: new Limiter(places),
    breaker: { failures, openMs: 1000 },
    gate,
    retry: { attempts, firstDelayMs, longestDelayMs: firstDelayMs },
    spread: () => 1,
    ...(options.preferred === undefined ? {} : { preferred: options.preferred }),
    ...(options.forgetMs === undefined ? {} : { forgetMs: options.forgetMs }),
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

  it('takes an engine for up again that nobody has asked for long after its outage', async () => {
    jest.useFakeTimers();
    try {
      const { access, breakerStates } = setUp({ attempts: 1, failures: 1, forgetMs: 5000 });
      await expect(access.ask(script(new EngineStatusError(503)).call, { signal, accept })).rejects.toThrow('503');
      jest.advanceTimersByTime(5999);
      expect([access.isOpen, breakerStates]).toEqual([true, [true]]);
      jest.advanceTimersByTime(1);
      expect([access.isOpen, breakerStates]).toEqual([false, [true, false]]);
    } finally {
      jest.useRealTimers();
    }
  });
});

/** A call that each engine ends when the test says so. */
const heldCall = () => {
  const asked: string[] = [];
  const ends = new Map<string, { resolve: (reply: string) => void; reject: (error: Error) => void }[]>();
  const call = (engine: string): Promise<string> => {
    asked.push(engine);
    return new Promise((resolve, reject) => ends.set(engine, [...(ends.get(engine) ?? []), { resolve, reject }]));
  };
  return { asked, call, next: (engine: string) => ends.get(engine)!.shift()! };
};

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('EngineAccess to several engines', () => {
  it('asks the one with the least to do', async () => {
    const { access } = setUp({ engines: ['a', 'b', 'c'] });
    const { asked, call, next } = heldCall();
    const first = [1, 2, 3, 4].map(() => access.ask(call, { signal, accept }));
    await settled();
    expect(asked).toEqual(['a', 'b', 'c', 'a']);
    next('b').resolve('done');
    await settled();
    const last = access.ask(call, { signal, accept });
    await settled();
    expect(asked.at(-1)).toBe('b');
    expect(access.running).toBe(4);
    for (const engine of ['a', 'a', 'b', 'c']) next(engine).resolve('done');
    await Promise.all([...first, last]);
    expect(access.running).toBe(0);
  });

  it('asks another one again after a failure', async () => {
    const { access } = setUp({ engines: ['a', 'b'] });
    const asked: string[] = [];
    const call = (engine: string): Promise<string> => {
      asked.push(engine);
      return engine === 'a' ? Promise.reject(new EngineStatusError(500)) : Promise.resolve('good');
    };
    await expect(access.ask(call, { signal, accept })).resolves.toBe('good');
    expect(asked).toEqual(['a', 'b']);
  });

  it('asks those that are preferred, also after a failure, and others once these are out of order', async () => {
    const { access } = setUp({ engines: ['a', 'b', 'c'], failures: 1, attempts: 3, preferred: () => ['b', 'c'] });
    const asked: string[] = [];
    const call = (engine: string): Promise<string> => {
      asked.push(engine);
      return engine === 'a' ? Promise.resolve('good') : Promise.reject(new EngineStatusError(500));
    };
    await expect(access.ask(call, { signal, accept })).resolves.toBe('good');
    expect(asked).toEqual(['b', 'c', 'a']);
  });

  it('goes on without one that fails again and again, tries it by one call after a while, and takes it back', async () => {
    const { access, time, breakerStates } = setUp({ engines: ['a', 'b'], failures: 2 });
    let isDown = true;
    const asked: string[] = [];
    const call = (engine: string): Promise<string> => {
      asked.push(engine);
      return engine === 'a' && isDown ? Promise.reject(new EngineTimeoutError(1)) : Promise.resolve('good');
    };
    const ask = () => access.ask(call, { signal, accept });
    await ask();
    await ask();
    expect(asked).toEqual(['a', 'b', 'a', 'b']);
    await ask();
    expect([asked.at(-1), access.isOpen, access.pauseMs()]).toEqual(['b', false, 0]);
    [time.now, isDown] = [1000, false];
    await ask();
    expect(asked.at(-1)).toBe('a');
    expect(breakerStates).toEqual([]);
  });

  it('is open once all are', async () => {
    const { access, breakerStates } = setUp({ engines: ['a', 'b'], failures: 1, attempts: 9 });
    const down = () => Promise.reject<string>(new EngineTimeoutError(1));
    await expect(access.ask(down, { signal, accept })).rejects.toThrow(BreakerOpenError);
    expect([access.isOpen, access.pauseMs(), breakerStates]).toEqual([true, 1000, [true]]);
  });

  it('waits for any probe, also where two are under way', async () => {
    const { access, time } = setUp({ engines: ['a', 'b'], failures: 1, attempts: 1 });
    const down = () => Promise.reject<string>(new EngineTimeoutError(1));
    for (let i = 0; i < 2; i += 1) await expect(access.ask(down, { signal, accept })).rejects.toThrow();
    time.now = 1000;
    const { asked, call, next } = heldCall();
    const probes = [1, 2].map(() => access.ask(call, { signal, accept }).catch(() => 'failed'));
    await settled();
    const waiting = access.ask(call, { signal, accept });
    await settled();
    next('b').reject(new EngineTimeoutError(1));
    await settled();
    expect(asked).toEqual(['a', 'b']);
    next('a').resolve('back');
    await settled();
    expect(asked).toEqual(['a', 'b', 'a']);
    next('a').resolve('good');
    await expect(Promise.all([...probes, waiting])).resolves.toEqual(['back', 'failed', 'good']);
  });
});

describe('EngineAccess behind a gate', () => {
  const gateOf = () => {
    let open: () => void = () => undefined;
    const gate = {
      isClosed: false,
      closings: 0,
      whenOpen: () => new Promise<void>((resolve) => (open = resolve)),
    };
    const set = (closed: boolean): void => {
      gate.isClosed = closed;
      if (closed) gate.closings += 1;
      else open();
    };
    return { gate, set };
  };

  it('makes no call while it is closed', async () => {
    const { gate, set } = gateOf();
    const { access } = setUp({ gate });
    set(true);
    const { call, calls } = script('good');
    const asked = access.ask(call, { signal, accept });
    await settled();
    expect(calls()).toBe(0);
    set(false);
    await expect(asked).resolves.toBe('good');
  });

  it('counts no failure of a call that it has closed upon, and makes it again', async () => {
    const { gate, set } = gateOf();
    const { access, failed } = setUp({ gate, attempts: 1, failures: 1 });
    const { call, next, asked } = heldCall();
    const reply = access.ask(call, { signal, accept });
    await settled();
    set(true);
    next('a').reject(new EngineTimeoutError(1));
    await settled();
    expect([asked.length, access.isOpen, failed]).toEqual([1, false, []]);
    set(false);
    await settled();
    next('a').resolve('good');
    await expect(reply).resolves.toBe('good');
  });

  it('takes a reply that will do, whatever the gate did meanwhile', async () => {
    const { gate, set } = gateOf();
    const { access } = setUp({ gate });
    const { call, next } = heldCall();
    const reply = access.ask(call, { signal, accept });
    await settled();
    set(true);
    next('a').resolve('good');
    await expect(reply).resolves.toBe('good');
  });
});
