import fc from 'fast-check';
import { anyBetween, expandRanges, inRanges, joinRanges, toRanges } from './ranges';

const numbers = fc.uniqueArray(fc.integer({ min: 1, max: 60 })).map((values) => values.sort((a, b) => a - b));

describe('ranges', () => {
  it('hold exactly the numbers they were made of', () => {
    fc.assert(
      fc.property(numbers, (values) => {
        const ranges = toRanges(values);
        expect(expandRanges(ranges)).toEqual(values);
        const held = Array.from({ length: 61 }, (_, i) => i).filter((value) => inRanges(ranges, value));
        expect(held).toEqual(values);
      }),
    );
  });

  it('join to the union, and never touch', () => {
    fc.assert(
      fc.property(numbers, numbers, (a, b) => {
        const joined = joinRanges(toRanges(a), toRanges(b));
        expect(expandRanges(joined)).toEqual([...new Set([...a, ...b])].sort((x, y) => x - y));
        expect(joined).toEqual(toRanges(expandRanges(joined)));
      }),
    );
  });

  it('swallow a gap only where it is said to be empty', () => {
    expect(joinRanges([[1, 2]], [[5, 6]], (first, last) => first === 3 && last === 4)).toEqual([[1, 6]]);
    expect(joinRanges([[1, 2]], [[5, 6]], () => false)).toEqual([
      [1, 2],
      [5, 6],
    ]);
  });

  it('tell whether a number lies between two others', () => {
    expect(anyBetween([3, 9], 4, 8)).toBe(false);
    expect(anyBetween([3, 9], 4, 9)).toBe(true);
    expect(anyBetween([], 1, 9)).toBe(false);
  });
});
