const STEPS = 1024;
const STEPS_LOG2 = 10;
/** Below this exp(x) is 0 in double precision. */
const LOWEST = -750;

/** 2^(i / 1024) and 2^-i. */
const FRACTIONS = Float64Array.from({ length: STEPS }, (_, i) => 2 ** (i / STEPS));
const HALVES = Float64Array.from({ length: Math.ceil(-LOWEST / Math.LN2) + 2 }, (_, i) => 2 ** -i);

/** ln 2 / 1024 in two parts: a multiple of the first, which has 32 bits, is exact. */
const STEP_HIGH = 6.93147180369123816e-1 / STEPS;
const STEP_LOW = 1.9082149292705877e-10 / STEPS;
const STEPS_PER_NAT = STEPS / Math.LN2;

/**
 * exp(x) for x <= 0, to a few units in the last place, in half the time of `Math.exp`: a softmax over a whole vocabulary
 * is made of little else. Exactly 0 at -infinity, NaN for NaN; numbers under 1e-307 lose digits.
 */
export const exponential = (x: number): number => {
  const bounded = Math.max(x, LOWEST);
  const step = (bounded * STEPS_PER_NAT - 0.5) | 0;
  const rest = bounded - step * STEP_HIGH - step * STEP_LOW;
  const series = 1 + rest * (1 + rest * (0.5 + rest * (1 / 6 + rest * (1 / 24))));
  return series * (FRACTIONS[step & (STEPS - 1)] as number) * (HALVES[-(step >> STEPS_LOG2)] as number);
};
