import { meanCurve, spreadOf } from './spread';

it('takes mean and sample standard deviation', () => {
  expect(spreadOf([2, 4, 4, 4, 5, 5, 7, 9])).toEqual({ mean: 5, deviation: Math.sqrt(32 / 7) });
  expect(spreadOf([0.5])).toEqual({ mean: 0.5, deviation: 0 });
  expect(() => spreadOf([])).toThrow(RangeError);
});

it('takes the mean of curves point by point', () => {
  expect(
    meanCurve([
      [0, 1, 2],
      [1, 3, 4],
    ]),
  ).toEqual([0.5, 2, 3]);
  expect(
    meanCurve([
      [0, 1, 2],
      [1, 3],
    ]),
  ).toEqual([0.5, 2]);
});
