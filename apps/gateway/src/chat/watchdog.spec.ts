import { ClientGoneError, UpstreamTimeoutError } from '@app/engines';
import { Watchdog } from './watchdog';

const LIMITS = { firstByteTimeoutS: 10, idleTimeoutS: 3 };

describe('Watchdog', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  const watch = (): { abort: AbortController; watchdog: Watchdog } => {
    const abort = new AbortController();
    return { abort, watchdog: new Watchdog(abort, LIMITS) };
  };

  it('aborts an answer that does not begin in time', () => {
    const { abort } = watch();
    jest.advanceTimersByTime(9_999);
    expect(abort.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(abort.signal.reason).toBeInstanceOf(UpstreamTimeoutError);
    expect(abort.signal.reason).toMatchObject({ phase: 'first_byte', seconds: 10 });
  });

  it('aborts an answer that stops for too long', () => {
    const { abort, watchdog } = watch();
    jest.advanceTimersByTime(9_000);
    watchdog.feed();
    jest.advanceTimersByTime(2_999);
    expect(abort.signal.aborted).toBe(false);
    jest.advanceTimersByTime(1);
    expect(abort.signal.reason).toMatchObject({ phase: 'idle', seconds: 3 });
  });

  it('lets an answer go on as long as pieces come', () => {
    const { abort, watchdog } = watch();
    for (let i = 0; i < 100; i += 1) {
      watchdog.feed();
      jest.advanceTimersByTime(2_900);
    }
    expect(abort.signal.aborted).toBe(false);
  });

  it('does not blame the model for a client that takes nothing, and ends that as the client’s going', () => {
    const { abort, watchdog } = watch();
    watchdog.feed();
    jest.advanceTimersByTime(2_000);
    watchdog.waitForClient();
    jest.advanceTimersByTime(2_000);
    watchdog.feed();
    jest.advanceTimersByTime(2_999);
    expect(abort.signal.aborted).toBe(false);
    watchdog.waitForClient();
    jest.advanceTimersByTime(3_000);
    expect(abort.signal.reason).toBeInstanceOf(ClientGoneError);
  });

  it('waits for a model that may be silent: its engine stands for a weight update', () => {
    const abort = new AbortController();
    let isExcused = true;
    const watchdog = new Watchdog(abort, LIMITS, () => isExcused);
    watchdog.feed();
    jest.advanceTimersByTime(60_000);
    expect(abort.signal.aborted).toBe(false);
    isExcused = false;
    jest.advanceTimersByTime(3_000);
    expect(abort.signal.reason).toMatchObject({ phase: 'idle', seconds: 3 });

    const other = new AbortController();
    new Watchdog(other, LIMITS, () => true).waitForClient();
    jest.advanceTimersByTime(3_000);
    expect(other.signal.reason).toBeInstanceOf(ClientGoneError);
  });

  it.each([['before'], ['after']])('does nothing once it is stopped %s the first piece', (when) => {
    const { abort, watchdog } = watch();
    if (when === 'after') watchdog.feed();
    watchdog.stop();
    jest.advanceTimersByTime(60_000);
    expect(abort.signal.aborted).toBe(false);
    expect(jest.getTimerCount()).toBe(0);
  });
});
