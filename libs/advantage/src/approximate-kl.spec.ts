import fc from 'fast-check';
import { approximateKl, KL_KINDS, type KlKind } from './approximate-kl';
import cases from './fixtures/kl.json';
import { expectClose, numericGradient, SINGLE, SINGLE_GRADIENT, snapshot } from './fixtures/golden';

const ones = (length: number): number[] => Array.from({ length }, () => 1);

describe('approximateKl', () => {
  it.each(cases)('$name', ({ kind, newLogProbs, baseLogProbs, kl, gradient }) => {
    const batch = { newLogProbs, baseLogProbs, weights: ones(kl.length) };
    const before = snapshot(batch);
    const actual = approximateKl(batch, kind as KlKind);
    expect(snapshot(batch)).toBe(before);
    expectClose(actual.perToken, kl, SINGLE);
    expectClose(actual.gradient, gradient, SINGLE_GRADIENT);
  });

  it('keeps its digits where both policies agree', () => {
    const { perToken } = approximateKl({ newLogProbs: [-1], baseLogProbs: [-1.0001], weights: [1] }, 'k3');
    expectClose(perToken, [1e-8 / 2 - 1e-12 / 6], { rel: 1e-6, abs: 0 });
  });

  it('cuts low_var_kl, and its gradient, also where one policy gives the token no probability', () => {
    const batch = { newLogProbs: [-1, -Infinity, -200], baseLogProbs: [-Infinity, -1, -1], weights: ones(3) };
    const { perToken, gradient } = approximateKl(batch, 'low_var_kl');
    expect([...perToken, ...gradient]).toEqual([10, 10, 10, 0, 0, 0]);
  });

  it('lets NaN be seen where a token is trained on', () => {
    const batch = { newLogProbs: [NaN], baseLogProbs: [-1], weights: [1] };
    for (const kind of KL_KINDS) expect(approximateKl(batch, kind).loss).toBeNaN();
  });

  it('passes over what is masked', () => {
    const batch = { newLogProbs: [NaN, -1], baseLogProbs: [-1, -2], weights: [0, 0.5] };
    for (const kind of KL_KINDS) expect(approximateKl(batch, kind).loss).toBeGreaterThan(0);
  });

  it('names both lengths where they differ', () => {
    const batch = { newLogProbs: [-1], baseLogProbs: [], weights: [1] };
    expect(() => approximateKl(batch, 'k1')).toThrow('newLogProbs has 1 entries and baseLogProbs has 0');
  });

  it('has the gradient that finite differences show', () => {
    const logProbs = fc.array(fc.double({ min: -5, max: 0, noNaN: true }), { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(fc.constantFrom(...KL_KINDS), logProbs, logProbs, (kind, newLogProbs, baseLogProbs) => {
        const isNearABend = newLogProbs.some((value, i) => {
          const difference = value - baseLogProbs[i]!;
          return kind === 'low_var_kl' && Math.abs(Math.expm1(-difference) + difference - 10) < 0.05;
        });
        fc.pre(!isNearABend);
        const batch = { baseLogProbs, weights: [1, 0.5, 0] };
        const numeric = numericGradient((row) => approximateKl({ ...batch, newLogProbs: row }, kind).loss, newLogProbs);
        expectClose(approximateKl({ ...batch, newLogProbs }, kind).gradient, numeric, { rel: 1e-5, abs: 1e-7 });
      }),
    );
  });
});
