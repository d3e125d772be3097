import fc from 'fast-check';
import { exponential } from './exponential';

describe('exponential', () => {
  it('agrees with Math.exp in the last digits', () => {
    fc.assert(
      fc.property(fc.double({ min: -700, max: 0, noNaN: true }), (x) => {
        expect(Math.abs(exponential(x) / Math.exp(x) - 1)).toBeLessThan(2e-15);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['0', 0, 1],
    ['-0', -0, 1],
    ['next to nothing', -1e-300, 1],
    ['a number that underflows', -746, 0],
    ['a very negative number', -1e308, 0],
    ['-infinity', -Infinity, 0],
    ['NaN', NaN, NaN],
  ])('is exact at %s', (_name, x, expected) => {
    expect(exponential(x)).toBe(expected);
  });

  it('stays a number where doubles end', () => {
    for (let x = -700; x > -760; x -= 0.25) expect(Math.abs(exponential(x) - Math.exp(x))).toBeLessThan(1e-307);
  });
});
