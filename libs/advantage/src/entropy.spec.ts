import fc from 'fast-check';
import { tokenEntropy } from './entropy';
import { expectClose, logSoftmax, numericGradient, snapshot } from './fixtures/golden';

describe('tokenEntropy', () => {
  it('is log V for a uniform distribution, and 0 where one token is certain', () => {
    const batch = { logits: [3, 3, 3, 3, 0, -Infinity, -Infinity, -Infinity], vocabulary: 4, weights: [1, 1] };
    const { perToken, gradient, entropy } = tokenEntropy(batch);
    expectClose(perToken, [Math.log(4), 0], { rel: 1e-12, abs: 1e-12 });
    expectClose(gradient, [0, 0, 0, 0, 0, 0, 0, 0], { rel: 0, abs: 1e-12 });
    expectClose([entropy], [Math.log(4)], { rel: 1e-12, abs: 0 });
  });

  it('passes over what is masked and changes nothing that it is given', () => {
    const batch = { logits: [NaN, 1, 0, 1], vocabulary: 2, weights: [0, 1] };
    const before = snapshot(batch);
    const { perToken, gradient } = tokenEntropy(batch);
    expect(snapshot(batch)).toBe(before);
    expect([perToken[0], gradient[0], gradient[1]]).toEqual([0, 0, 0]);
    expect(perToken[1]).toBeGreaterThan(0);
  });

  it('says what the shape should be', () => {
    expect(() => tokenEntropy({ logits: [1, 2, 3], vocabulary: 2, weights: [1] })).toThrow(
      'logits has 3 entries; 1 tokens and a vocabulary of 2 make 2',
    );
  });

  it('agrees with the plain formula, and its gradient with finite differences', () => {
    const row = fc.array(fc.double({ min: -8, max: 8, noNaN: true }), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(row, row, (first, second) => {
        const batch = { vocabulary: 5, weights: [0.5, 2] };
        const logits = [...first, ...second];
        const { perToken, gradient } = tokenEntropy({ ...batch, logits });
        const plain = [first, second].map((each) =>
          logSoftmax(each).reduce((sum, logProb) => sum - Math.exp(logProb) * logProb, 0),
        );
        expectClose(perToken, plain, { rel: 1e-9, abs: 1e-12 });
        const numeric = numericGradient((changed) => tokenEntropy({ ...batch, logits: changed }).entropy, logits);
        expectClose(gradient, numeric, { rel: 1e-5, abs: 1e-7 });
      }),
    );
  });
});
