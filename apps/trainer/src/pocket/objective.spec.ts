import fc from 'fast-check';
import type { Sample } from '@app/sample';
import { tinyMachine } from '../../../../libs/pocket-lm/src/testing/tiny-model';
import { sampleOf } from './fixtures/tiny-samples';
import { batchWeights, distributionLoss, sampleLoss, type ObjectiveOptions } from './objective';

const OPTIONS: ObjectiveOptions = {
  clip: { low: 0.2, high: 0.28, dual: null },
  kl: 'k3',
  klCoefficient: 0.5,
  entropyCoefficient: 0,
  distillationCoefficient: 0,
};
const machine = tinyMachine(1);
const sample = sampleOf(machine, { seed: 1 });
const anyLogProb = fc.double({ min: -6, max: -0.01, noNaN: true });

describe('batchWeights', () => {
  const short = sampleOf(machine, { seed: 2, response: 2 });

  it('counts each sample alike, or each token', () => {
    expect(batchWeights([sample, short], 'sample_mean').map((each) => Array.from(each))).toEqual([
      [0.1, 0.1, 0.1, 0.1, 0.1],
      [0.25, 0.25],
    ]);
    expect(batchWeights([sample, short], 'token_sum').map((each) => Array.from(each))).toEqual([
      new Array<number>(5).fill(1 / 7),
      new Array<number>(2).fill(1 / 7),
    ]);
  });

  it('passes over what is masked', () => {
    const masked: Sample = { ...short, loss_mask: Uint8Array.of(0, 1) };
    expect(Array.from(batchWeights([masked], 'token_sum')[0]!)).toEqual([0, 1]);
  });
});

describe('sampleLoss', () => {
  const weights = batchWeights([sample], 'sample_mean')[0]!;
  const own = { sample, reward: 1, weights };

  it('is minus the mean advantage on fresh samples, and its slopes say so', () => {
    const fresh = { newLogProbs: sample.rollout_log_probs, baseLogProbs: sample.rollout_log_probs };
    const loss = sampleLoss(own, fresh, OPTIONS);
    expect(loss.policy).toBeCloseTo(-1, 12);
    expect(loss.kl).toBe(0);
    expect(Array.from(loss.slopes)).toEqual(new Array<number>(5).fill(-0.2));
    expect(Array.from(loss.clipped)).toEqual([0, 0, 0, 0, 0]);
  });

  it('has the slopes of its value, KL term and all, by finite differences', () => {
    const lists = fc.tuple(...[0, 1].map(() => fc.array(anyLogProb, { minLength: 5, maxLength: 5 })));
    fc.assert(
      fc.property(lists, ([newLogProbs, baseLogProbs]) => {
        const value = (at: readonly number[]): number => {
          const { policy, kl } = sampleLoss(own, { newLogProbs: at, baseLogProbs: baseLogProbs! }, OPTIONS);
          return policy + OPTIONS.klCoefficient * kl;
        };
        const { slopes, clipped } = sampleLoss(
          own,
          { newLogProbs: newLogProbs!, baseLogProbs: baseLogProbs! },
          OPTIONS,
        );
        newLogProbs!.forEach((logProb, i) => {
          // At the clip's edge the slope jumps.
          const ratio = Math.exp(logProb - sample.rollout_log_probs[i]!);
          if (Math.abs(ratio - 1.28) < 1e-3) return;
          const moved = (by: number): number[] => newLogProbs!.map((each, j) => (i === j ? each + by : each));
          const measured = (value(moved(1e-5)) - value(moved(-1e-5))) / 2e-5;
          expect(Math.abs(slopes[i]! - measured)).toBeLessThan(1e-4 * (1 + Math.abs(measured)));
          expect(clipped[i]).toBe(ratio > 1.28 ? 1 : 0);
        });
      }),
    );
  });
});

describe('distributionLoss', () => {
  const VOCABULARY = 4;
  const weights = Float64Array.of(0.5, 0.5);
  const two = sampleOf(machine, { seed: 3, response: 2 });
  const taught: Sample = {
    ...two,
    teacher_topk_log_probs: Float64Array.of(-0.2, -2, NaN, NaN),
    teacher_topk_indices: Int32Array.of(1, 3, 0, 0),
    teacher_topk_mask: Uint8Array.of(1, 0),
  };
  const distilling = { ...OPTIONS, distillationCoefficient: 2, entropyCoefficient: 0.3 };

  it('is nothing where neither term counts', () => {
    const logits = new Float64Array(2 * VOCABULARY);
    expect(distributionLoss({ sample: two, weights }, { logits, vocabulary: VOCABULARY }, OPTIONS)).toBeNull();
    const distillsOnly = { ...OPTIONS, distillationCoefficient: 1 };
    expect(distributionLoss({ sample: two, weights }, { logits, vocabulary: VOCABULARY }, distillsOnly)).toBeNull();
  });

  it('has the slopes of both terms, and leaves positions alone that have no teacher', () => {
    const logits = Float64Array.of(0.3, -1, 0.7, 0.2, 1, -0.5, 0.1, 0);
    const value = (at: Float64Array): number => {
      const { distillation, entropy } = distributionLoss(
        { sample: taught, weights },
        { logits: at, vocabulary: VOCABULARY },
        distilling,
      )!;
      return 2 * distillation - 0.3 * entropy;
    };
    const { slopes, distillation } = distributionLoss(
      { sample: taught, weights },
      { logits, vocabulary: VOCABULARY },
      distilling,
    )!;
    expect(distillation).toBeGreaterThan(0);
    logits.forEach((_, i) => {
      const moved = (by: number): Float64Array => logits.map((each, j) => (i === j ? each + by : each));
      expect(slopes[i]).toBeCloseTo((value(moved(1e-5)) - value(moved(-1e-5))) / 2e-5, 6);
    });
    const entropyAlone = distributionLoss(
      { sample: two, weights },
      { logits, vocabulary: VOCABULARY },
      { ...OPTIONS, entropyCoefficient: 0.3 },
    )!;
    expect(slopes.slice(VOCABULARY)).toEqual(entropyAlone.slopes.slice(VOCABULARY));
  });
});
