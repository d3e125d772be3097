import { outageDelayMs } from './outage-delay';

describe('outageDelayMs', () => {
  it.each([
    [
      'comes back when the pause is over, however often it came',
      { isPaused: true, pauseMs: 7000, deliveries: 40 },
      7100,
    ],
    ['comes back soon while a probe finds out', { isPaused: true, pauseMs: 0, deliveries: 3 }, 100],
    ['comes back soon after a first failure of its own', { isPaused: false, pauseMs: 0, deliveries: 1 }, 250],
    ['comes back later every time', { isPaused: false, pauseMs: 0, deliveries: 5 }, 4000],
    ['comes back every two minutes in the end', { isPaused: false, pauseMs: 0, deliveries: 500 }, 120_000],
  ])('%s', (_, state, expected) => {
    expect(outageDelayMs({ ...state, spread: 1 })).toBe(expected);
  });
});
