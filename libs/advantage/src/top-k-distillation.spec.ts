import fc from 'fast-check';
import cases from './fixtures/top-k.json';
import { expectClose, logSoftmax, numericGradient, snapshot } from './fixtures/golden';
import { tokenWeights, type Reduction } from './token-weights';
import { topKDistillation } from './top-k-distillation';

const DOUBLE = { rel: 1e-6, abs: 1e-8 };

/** Rows that predict the response's tokens: the row of the token before each. */
const predicting = (rows: readonly number[][], start: number, prompt: number, response: number): number[][] =>
  rows.slice(start + prompt - 1, start + prompt + response - 1);

describe('topKDistillation', () => {
  it.each(cases)('$name', ({ logits, promptLengths, responseLengths, ...each }) => {
    const vocabulary = logits[0]!.length;
    const gradient = logits.map((row) => row.map(() => 0));
    let start = 0;
    let total = 0;
    responseLengths.forEach((length, i) => {
      const batch = {
        logits: predicting(logits, start, promptLengths[i]!, length).flat(),
        vocabulary,
        teacherLogProbs: each.teacherLogProbs[i]!.flat(),
        teacherIds: each.teacherIds[i]!.flat(),
        weights: tokenWeights(each.masks[i]!, each.reduction as Reduction),
      };
      const before = snapshot(batch);
      const { loss, perToken, gradient: own } = topKDistillation(batch);
      expect(snapshot(batch)).toBe(before);
      total += loss;
      own.forEach((value, j) => {
        const row = gradient[start + promptLengths[i]! - 1 + Math.floor(j / vocabulary)]!;
        row[j % vocabulary] = value;
      });
      const trained = each.masks[i]!.map((bit, j) => (bit === 0 ? 0 : each.klPerToken[i]![j]!));
      expectClose(perToken, trained, DOUBLE);
      start += promptLengths[i]! + length;
    });
    expectClose([total], [each.loss], DOUBLE);
    expectClose(gradient.flat(), each.gradient.flat(), DOUBLE);
  });

  it('takes a token that the teacher gives probability 0 as one of the rest, and stays finite', () => {
    const policy = { logits: [0, 0, 0, 0], vocabulary: 4, weights: [1] };
    const teacher = { teacherLogProbs: [Math.log(0.9), -Infinity], teacherIds: [2, 1] };
    const { loss, gradient } = topKDistillation({ ...policy, ...teacher });
    expectClose([loss], [0.25 * Math.log(0.25 / 0.9) + 0.75 * Math.log(0.75 / 0.1)], { rel: 1e-9, abs: 0 });
    const [first, second, third, fourth] = gradient;
    expect([first, second]).toEqual([second, fourth]);
    expect(third).toBeLessThan(0);
    expect(gradient.every(Number.isFinite)).toBe(true);
  });

  it('stays finite where policy or teacher puts nothing on a token', () => {
    const policy = { logits: [0, -Infinity, -2000, 1], vocabulary: 4, weights: [1] };
    const { loss, gradient } = topKDistillation({ ...policy, teacherLogProbs: [-0.1, -900], teacherIds: [1, 2] });
    expect(Number.isFinite(loss) && gradient.every(Number.isFinite)).toBe(true);
  });

  it('passes over a position without K entries', () => {
    const policy = { logits: [1, 2, NaN, 3], vocabulary: 2, weights: [1, 0] };
    const { perToken, gradient } = topKDistillation({ ...policy, teacherLogProbs: [-0.3, NaN], teacherIds: [0, -1] });
    expect([perToken[1], gradient[2], gradient[3]]).toEqual([0, 0, 0]);
    expect(perToken[0]).toBeGreaterThan(0);
  });

  it('refuses ids that the vocabulary does not have, and rows that do not fit', () => {
    const policy = { logits: [1, 2], vocabulary: 2, weights: [1] };
    expect(() => topKDistillation({ ...policy, teacherLogProbs: [-1], teacherIds: [2] })).toThrow(
      "the teacher named token 2; the policy's vocabulary has 2",
    );
    expect(() => topKDistillation({ ...policy, teacherLogProbs: [-1, -1], teacherIds: [0] })).toThrow(
      'teacherLogProbs has 2 entries and teacherIds has 1',
    );
    expect(() => topKDistillation({ ...policy, weights: [1, 1], teacherLogProbs: [-1], teacherIds: [0] })).toThrow(
      'teacherIds has 1 entries and a multiple of weights has 2',
    );
  });

  it('has the gradient that finite differences show', () => {
    const logit = fc.double({ min: -4, max: 4, noNaN: true });
    const row = fc.array(logit, { minLength: 6, maxLength: 6 });
    const ids = fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 3, maxLength: 3 });
    fc.assert(
      fc.property(row, row, ids, (policy, teacher, teacherIds) => {
        const logProbs = logSoftmax(teacher);
        const batch = {
          vocabulary: 6,
          teacherLogProbs: [...teacherIds.map((id) => logProbs[id]!), -1, NaN, -1],
          teacherIds: [...teacherIds, 0, 1, 2],
          weights: [0.7, 0],
        };
        const logits = [...policy, ...teacher];
        const { gradient, loss } = topKDistillation({ ...batch, logits });
        expect(loss).toBeGreaterThan(-1e-9);
        const numeric = numericGradient((changed) => topKDistillation({ ...batch, logits: changed }).loss, logits);
        expectClose(gradient, numeric, { rel: 1e-4, abs: 1e-6 });
      }),
    );
  });
});
