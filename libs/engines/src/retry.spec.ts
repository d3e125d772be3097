import fc from 'fast-check';
import { backoffMs, parseRetryAfterMs } from './retry';

const policy = { attempts: 5, firstDelayMs: 100, longestDelayMs: 1000 };

describe('backoffMs', () => {
  it.each([
    [1, null, 1, 100],
    [2, null, 1, 200],
    [4, null, 1, 800],
    [5, null, 1, 1000],
    [60, null, 1, 1000],
    [2, null, 0.5, 100],
    [1, 3000, 1, 3100],
  ])('gives after attempt %d with Retry-After %s and spread %d: %d ms', (attempt, retryAfterMs, spread, expected) => {
    expect(backoffMs(policy, { attempt, retryAfterMs, spread })).toBe(expected);
  });

  it('is never shorter than what the engine asked for', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.nat(600_000),
        fc.double({ min: 0.5, max: 1.5, noNaN: true }),
        (a, floor, spread) => {
          expect(backoffMs(policy, { attempt: a, retryAfterMs: floor, spread })).toBeGreaterThanOrEqual(floor);
        },
      ),
    );
  });
});

describe('parseRetryAfterMs', () => {
  const now = Date.parse('2026-11-30T09:00:00Z');
  it.each([
    ['7', 7000],
    [' 0.5 ', 500],
    ['0', 0],
    ['Mon, 30 Nov 2026 09:00:20 GMT', 20_000],
    ['Mon, 30 Nov 2026 08:00:00 GMT', 0],
    ['999999', 300_000],
    ['soon', null],
    ['', null],
    [undefined, null],
    [['7'], null],
  ])('reads %j as %s ms', (value, expected) => {
    expect(parseRetryAfterMs(value, now)).toBe(expected);
  });
});
