import { compareHealth } from './health';

const before = { right: 0.9, entropy: 0.24 };

it.each([
  [{ right: 0.86, entropy: 0.13 }, true, true],
  [{ right: 0.84, entropy: 0.13 }, false, true],
  [{ right: 0.95, entropy: 0.11 }, true, false],
])('compares %j with what was before', (after, keepsRight, keepsEntropy) => {
  expect(compareHealth(before, after)).toEqual({ keepsRight, keepsEntropy });
});
