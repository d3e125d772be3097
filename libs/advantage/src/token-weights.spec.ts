import cases from './fixtures/reduction.json';
import { expectClose, SINGLE, snapshot } from './fixtures/golden';
import { tokenWeights, weightedSum, type Reduction } from './token-weights';

const NAMED: Readonly<Record<string, number>> = { NaN, Infinity };
const read = (values: readonly (number | string)[]): number[] =>
  values.map((value) => (typeof value === 'string' ? NAMED[value]! : value));

const reduce = (values: readonly number[][], masks: readonly number[][], reduction: Reduction): number =>
  values.reduce((sum, row, i) => sum + weightedSum(row, tokenWeights(masks[i]!, reduction)), 0);

describe('tokenWeights and weightedSum', () => {
  it.each(cases)('$name', ({ values, masks, sampleMean, tokenSum }) => {
    const rows = values.map(read);
    const before = snapshot({ rows, masks });
    expectClose([reduce(rows, masks, 'sample_mean')], [sampleMean], SINGLE);
    expectClose([reduce(rows, masks, 'token_sum')], [tokenSum], SINGLE);
    expect(snapshot({ rows, masks })).toBe(before);
  });

  it('gives each trained token the same share of its sample, and none to the others', () => {
    expect([...tokenWeights([1, 0, 1, 1, 1], 'sample_mean')]).toEqual([0.25, 0, 0.25, 0.25, 0.25]);
    expect([...tokenWeights([1, 0, 1], 'token_sum')]).toEqual([1, 0, 1]);
    expect([...tokenWeights([0, 0], 'sample_mean')]).toEqual([0, 0]);
  });

  it('names both lengths where they differ', () => {
    expect(() => weightedSum([1, 2], [1])).toThrow('values has 2 entries and weights has 1');
  });
});
