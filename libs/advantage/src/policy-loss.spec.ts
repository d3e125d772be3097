import fc from 'fast-check';
import cases from './fixtures/clip.json';
import { expectClose, numericGradient, snapshot } from './fixtures/golden';
import { policyLoss, type PolicyClip } from './policy-loss';

const CLIP: PolicyClip = { low: 0.2, high: 0.28, dual: null };
const ones = (length: number): number[] => Array.from({ length }, () => 1);
const DOUBLE = { rel: 1e-12, abs: 1e-12 };

describe('policyLoss', () => {
  it.each(cases)('$name', ({ name, clip, oldLogProbs, newLogProbs, advantages, ...expected }) => {
    const batch = { oldLogProbs, newLogProbs, advantages, weights: ones(advantages.length) };
    const before = snapshot(batch);
    const { loss, perToken, clipped, gradient } = policyLoss(batch, clip);
    expect(snapshot(batch)).toBe(before);
    expectClose(perToken, expected.loss, DOUBLE);
    expectClose([loss], [expected.loss.reduce((sum, value) => sum + value, 0)], DOUBLE);
    // Exactly at a bound the last bit decides which branch wins.
    if (name.startsWith('ratio at bounds')) return;
    expectClose(clipped, expected.clipped, DOUBLE);
    expectClose(gradient, expected.gradient, DOUBLE);
  });

  it('clips nothing at the first step of a fresh batch: the gradient is -A', () => {
    const logProbs = [-0.1, -2, -7];
    const batch = { oldLogProbs: logProbs, newLogProbs: logProbs, advantages: [1, -1, 0.5], weights: ones(3) };
    const { gradient, clipped } = policyLoss(batch, CLIP);
    expect([...gradient]).toEqual([-1, 1, -0.5]);
    expect([...clipped]).toEqual([0, 0, 0]);
  });

  it('stops pushing a stale token that has moved far enough, and only in the direction of its advantage', () => {
    const batch = {
      oldLogProbs: [-1, -1, -1, -1],
      newLogProbs: [-0.5, -0.5, -2, -2],
      advantages: [1, -1, 1, -1],
      weights: ones(4),
    };
    const { clipped, gradient, perToken } = policyLoss(batch, CLIP);
    expect([...clipped]).toEqual([1, 0, 0, 1]);
    expectClose(perToken, [-1.28, Math.exp(0.5), -Math.exp(-1), 0.8], DOUBLE);
    expectClose(gradient, [0, Math.exp(0.5), -Math.exp(-1), 0], DOUBLE);
  });

  it('bounds what a token of negative advantage loses by the dual clip', () => {
    const batch = { oldLogProbs: [-20, -1], newLogProbs: [-1, -0.9], advantages: [-1, -1], weights: ones(2) };
    const { perToken, gradient, clipped } = policyLoss(batch, { ...CLIP, dual: 3 });
    expectClose(perToken, [3, Math.exp(0.1)], DOUBLE);
    expectClose(gradient, [0, Math.exp(0.1)], DOUBLE);
    expect([...clipped]).toEqual([0, 0]);
    expect(() => policyLoss(batch, { ...CLIP, dual: 1 })).toThrow('the dual clip is 1; it must be over 1');
  });

  it('moves nothing for an advantage of 0 or under a mask, whatever the log-probs are', () => {
    const batch = {
      oldLogProbs: [-Infinity, NaN, -1],
      newLogProbs: [-1, -1, -1],
      advantages: [0, 1, 1],
      weights: [1, 0, 0.5],
    };
    const { loss, perToken, gradient } = policyLoss(batch, CLIP);
    expect(loss).toBe(-0.5);
    expect([...perToken]).toEqual([0, 0, -1]);
    expect([...gradient]).toEqual([0, 0, -0.5]);
  });

  it('lets NaN be seen where a token is trained on', () => {
    const batch = { oldLogProbs: [NaN], newLogProbs: [-1], advantages: [1], weights: [1] };
    expect(policyLoss(batch, CLIP).loss).toBeNaN();
  });

  it('names both lengths where they differ', () => {
    const batch = { oldLogProbs: [-1, -1], newLogProbs: [-1, -1], advantages: [1], weights: [1, 1] };
    expect(() => policyLoss(batch, CLIP)).toThrow('newLogProbs has 2 entries and advantages has 1');
  });

  it('has the gradient that finite differences show, on fresh and stale batches, with and without a dual clip', () => {
    const token = fc.record({
      old: fc.double({ min: -6, max: -0.1, noNaN: true }),
      change: fc.double({ min: -2, max: 2, noNaN: true }),
      advantage: fc.double({ min: -3, max: 3, noNaN: true }),
      weight: fc.constantFrom(0, 0.25, 1),
    });
    fc.assert(
      fc.property(fc.array(token, { minLength: 1, maxLength: 6 }), fc.constantFrom(null, 3), (tokens, dual) => {
        const isNearABend = tokens.some(({ change, advantage }) =>
          [0.8, 1.28, ...(advantage < 0 ? [3] : [])].some((bound) => Math.abs(Math.exp(change) - bound) < 1e-3),
        );
        fc.pre(!isNearABend);
        const clip = { ...CLIP, dual };
        const batch = {
          oldLogProbs: tokens.map(({ old }) => old),
          advantages: tokens.map(({ advantage }) => advantage),
          weights: tokens.map(({ weight }) => weight),
        };
        const newLogProbs = tokens.map(({ old, change }) => old + change);
        const numeric = numericGradient((row) => policyLoss({ ...batch, newLogProbs: row }, clip).loss, newLogProbs);
        expectClose(policyLoss({ ...batch, newLogProbs }, clip).gradient, numeric, { rel: 1e-5, abs: 1e-7 });
      }),
    );
  });
});
