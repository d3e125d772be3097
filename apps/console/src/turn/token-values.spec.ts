import fc from 'fast-check';
import type { TurnTokens } from '@app/contracts';
import { classOf, fullScale, STEPS, stepOf, strongest, valuesOf } from './token-values';

const tokens: TurnTokens = {
  ids: [1, 2],
  texts: ['a', 'b'],
  logProbs: [-1, -0.5],
  teacherLogProbs: [-0.25, -2.5],
  advantages: [1.75, -1],
  mask: [1, 1],
  versions: [0, 0],
};
const sample = { reward: 1, rewardWeight: 2, teacherWeight: 1 };

test('each lens has its own values', () => {
  expect(valuesOf({ tokens, sample }, 'combined')).toEqual([1.75, -1]);
  expect(valuesOf({ tokens, sample }, 'teacher')).toEqual([0.75, -2]);
  expect(valuesOf({ tokens, sample }, 'reward')).toEqual([2, 2]);
  expect(valuesOf({ tokens, sample }, 'surprise')).toEqual([-1, -0.5]);
});

test('what cannot be told is not made up', () => {
  const bare = { tokens: { ...tokens, advantages: null, teacherLogProbs: null }, sample: null };
  expect((['combined', 'teacher', 'reward'] as const).map((lens) => valuesOf(bare, lens))).toEqual([null, null, null]);
});

test('a colour has the sign of its value, and a larger value never a weaker one', () => {
  const size = fc.double({ min: 0, max: 50, noNaN: true });
  fc.assert(
    fc.property(size, size, (a, b) => {
      const [small, large] = [Math.min(a, b), Math.max(a, b)];
      expect(stepOf(small, 5)).toBeLessThanOrEqual(stepOf(large, 5));
      expect(stepOf(-large, 5) + stepOf(large, 5)).toBe(0);
      expect(Math.abs(stepOf(large, 5))).toBeLessThanOrEqual(STEPS);
    }),
  );
  expect([
    classOf(5, 5, 'teacher'),
    classOf(-5, 5, 'teacher'),
    classOf(-5, 5, 'surprise'),
    classOf(0, 5, 'reward'),
  ]).toEqual(['p8', 'n8', 's8', '']);
});

test('one odd token does not take the colour of the others', () => {
  expect(fullScale([...new Array<number>(99).fill(1), 1000])).toBe(1);
  expect(fullScale([0, 0])).toBeGreaterThan(0);
});

test('the strongest come first, of either sign', () => {
  expect(strongest([0.1, -3, 2], 2)).toEqual([1, 2]);
});
