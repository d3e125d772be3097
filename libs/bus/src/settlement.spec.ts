import { BusUnavailableError, ContentionError, MessageTooLargeError, NotYetError, OutageError } from './errors';
import { MAX_DELIVERIES, retryDelayMs, settleFailure } from './settlement';

/** An error of another library that says of itself that it may be tried again. */
class BusyError extends Error {
  readonly retryable = true;
}

const delayOf = (error: unknown, deliveries: number): number => {
  const settlement = settleFailure(error, deliveries);
  if (settlement.kind !== 'retry') throw new TypeError(`settled as ${settlement.kind}`);
  return settlement.delayMs;
};

describe('retryDelayMs', () => {
  it.each([
    [1, 250],
    [2, 500],
    [3, 1000],
    [4, 2000],
    [5, 4000],
    [6, 8000],
    [7, 16_000],
    [8, 30_000],
    [1000, 30_000],
  ])('after delivery %d it is %d ms', (deliveries, delay) => {
    expect(retryDelayMs(deliveries)).toBe(delay);
  });
});

describe('settleFailure', () => {
  it('tries a retryable error again up to the eighth delivery', () => {
    for (let deliveries = 1; deliveries < MAX_DELIVERIES; deliveries += 1) {
      expect(settleFailure(new BusyError(), deliveries).kind).toBe('retry');
    }
    expect(settleFailure(new BusyError(), 8)).toEqual({ kind: 'dead' });
    expect(settleFailure(new BusyError(), 9)).toEqual({ kind: 'dead' });
  });

  it('spreads retries over half to one and a half times their delay', () => {
    const delays = Array.from({ length: 200 }, () => delayOf(new BusyError(), 3));
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(500);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1500);
    expect(new Set(delays).size).toBeGreaterThan(100);
  });

  it.each([1, 8, 9, 10_000])('waits out an outage, at delivery %d as long as it asks for', (deliveries) => {
    expect(settleFailure(new OutageError('judge away', 5000), deliveries)).toEqual({ kind: 'retry', delayMs: 5000 });
  });

  it.each([1, 8, 9, 10_000])('waits for what is on its way, at delivery %d as long as it asks for', (deliveries) => {
    expect(settleFailure(new NotYetError('soon', 70), deliveries)).toEqual({ kind: 'retry', delayMs: 70 });
  });

  it('waits for what is on its way longer each time unless it asks for a delay', () => {
    const delays = [1, 8, 10_000].map(
      (deliveries) => delayOf(new NotYetError('soon'), deliveries) / retryDelayMs(deliveries),
    );
    expect(Math.min(...delays)).toBeGreaterThanOrEqual(0.5);
    expect(Math.max(...delays)).toBeLessThanOrEqual(1.5);
  });

  it.each([1, 8, 9, 10_000])('waits for a bus that is away, at delivery %d as at any other', (deliveries) => {
    const delay = delayOf(new BusUnavailableError('x'), deliveries);
    expect(delay).toBeGreaterThan(0);
    expect(delay).toBeLessThanOrEqual(45_000);
  });

  it.each([
    ['a bus that is away', new BusUnavailableError('x'), 'retry'],
    ['a document that keeps changing', new ContentionError('x'), 'retry'],
    ['a message that is too large', new MessageTooLargeError('x'), 'dead'],
    ['a defect', new TypeError('x'), 'dead'],
    ['something that is no error', 'retryable', 'dead'],
    ['nothing', undefined, 'dead'],
    ['null', null, 'dead'],
    ['one that says no', Object.assign(new Error('x'), { retryable: false }), 'dead'],
    ['one that says something else', Object.assign(new Error('x'), { retryable: 'yes' }), 'dead'],
  ])('%s', (_what, error, kind) => {
    expect(settleFailure(error, 1).kind).toBe(kind);
  });
});
