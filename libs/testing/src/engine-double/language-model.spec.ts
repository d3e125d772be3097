import { nextLogProbs, sampleToken, seedOf, topTokens, uniform } from './language-model';

const context = [5, 17, 300, 42];

describe('language model of the engine double', () => {
  it('gives log-probs that sum to one', () => {
    const sum = nextLogProbs('1', context).reduce((total, logProb) => total + Math.exp(logProb), 0);
    expect(sum).toBeCloseTo(1, 12);
  });

  it('depends on version and last three ids only', () => {
    expect(nextLogProbs('1', context)).toEqual(nextLogProbs('1', [99, 98, ...context.slice(-3)]));
    expect(nextLogProbs('1', context)).not.toEqual(nextLogProbs('2', context));
    expect(nextLogProbs('1', context)).not.toEqual(nextLogProbs('1', [5, 17, 42, 300]));
  });

  it('divides the logits by the temperature', () => {
    const plain = nextLogProbs('1', context);
    const warm = nextLogProbs('1', context, 2);
    expect(warm[7]! - warm[8]!).toBeCloseTo((plain[7]! - plain[8]!) / 2, 10);
  });

  it('samples in proportion, within top-k and top-p', () => {
    const logProbs = Float64Array.from([0.5, 0.3, 0.2], Math.log);
    const draws = Array.from({ length: 3000 }, (_, i) =>
      sampleToken(logProbs, { topP: 1, topK: -1, draw: uniform(seedOf('draws'), i) }),
    );
    expect(draws.filter((id) => id === 0).length / 3000).toBeCloseTo(0.5, 1);
    expect(draws.filter((id) => id === 2).length / 3000).toBeCloseTo(0.2, 1);
    expect(sampleToken(logProbs, { topP: 1, topK: 1, draw: 0.99 })).toBe(0);
    expect(sampleToken(logProbs, { topP: 0.6, topK: -1, draw: 0.99 })).toBe(1);
    expect(topTokens(logProbs, 2).map(({ id }) => id)).toEqual([0, 1]);
  });
});
