import fc from 'fast-check';
import { Tally } from './tally';

it('knows sum, mean and most exactly, and each quantile within 1 %', () => {
  const seconds = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 300 });
  fc.assert(
    fc.property(seconds, fc.double({ min: 0.01, max: 1, noNaN: true }), (values, share) => {
      const tally = new Tally();
      for (const value of values) tally.add(value);
      const sorted = values.toSorted((a, b) => a - b);
      const exact = sorted[Math.ceil(share * values.length) - 1]!;
      expect(tally.count).toBe(values.length);
      expect(tally.most).toBe(sorted.at(-1));
      expect(tally.mean).toBeCloseTo(tally.sum / values.length, 9);
      expect(Math.abs(tally.quantile(share) / exact - 1)).toBeLessThan(0.01);
    }),
  );
});

it('is all 0 before anything is counted, and for no wait at all', () => {
  const tally = new Tally();
  expect([tally.mean, tally.most, tally.quantile(0.5)]).toEqual([0, 0, 0]);
  tally.add(0);
  expect([tally.count, tally.quantile(1)]).toEqual([1, 0]);
});
