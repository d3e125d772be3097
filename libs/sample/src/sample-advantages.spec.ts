import fc from 'fast-check';
import type { RewardNormalization } from '@app/advantage';
import { buildSample, type SampleOutcome } from './build-sample';
import { batchRewards, sampleAdvantages } from './sample-advantages';
import type { Sample } from './sample';

const sampleWith = (outcome: Pick<SampleOutcome, 'reward'> & Partial<SampleOutcome>): Sample =>
  buildSample(
    {
      turnId: 'turn',
      sessionKey: 'session',
      promptIds: [1],
      responseIds: [2, 3],
      logProbs: [-0.5, -1],
      finishReason: 'stop',
      responseText: 'hello',
      weightVersions: [],
      policyVersion: { start: 0, end: 0 },
      sampling: { temperature: 1, top_p: null, top_k: null },
      logProbsTempered: true,
      route: 'sglext',
    },
    { source: 'votes', ...outcome },
  );
const integrated = (reward: number, index: number): Sample => sampleWith({ reward, step: { index, outcome: 1 } });

const BY_STEP: RewardNormalization = { scale: 'std', epsilon: 1e-6, ofSingleton: 'reward' };

describe('batchRewards', () => {
  it('compares integrated rewards with those of the same step', () => {
    const batch = [integrated(2, 0), integrated(5, 1), integrated(0, 0), integrated(1, 0), integrated(-0.25, 7)];
    const [a, alone, b, c, last] = batchRewards(batch, BY_STEP);
    // Step 0: 2, 0, 1 have mean 1 and sample deviation 1.
    expect(a).toBeCloseTo(1 / (1 + 1e-6), 12);
    expect(b).toBeCloseTo(-1 / (1 + 1e-6), 12);
    expect(c).toBe(0);
    expect([alone, last]).toEqual([5, -0.25]);
  });

  it('leaves a sample without a reward, and rewards of single turns, out of every mean', () => {
    const teacher = { hint: 'Use a list.', logProbs: [-1, -1], top: null };
    const taught = sampleWith({ reward: 0, source: 'none', teacher });
    const plain = sampleWith({ reward: -1 });
    expect([...batchRewards([taught, integrated(3, 0), plain], BY_STEP)]).toEqual([0, 3, -1]);
  });

  it('gives equal rewards of a step nothing to learn', () => {
    expect([...batchRewards([integrated(0.7, 2), integrated(0.7, 2)], BY_STEP)]).toEqual([0, 0]);
    expect([...batchRewards([], BY_STEP)]).toEqual([]);
  });

  it('does not depend on the order of the batch', () => {
    const oneArb = fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: 0, max: 2 }));
    fc.assert(
      fc.property(fc.array(oneArb, { maxLength: 12 }), (batch) => {
        const samples = batch.map(([reward, index]) => integrated(reward, index));
        const there = batchRewards(samples, BY_STEP);
        const back = batchRewards(samples.toReversed(), BY_STEP).toReversed();
        there.forEach((reward, i) => {
          expect(reward).toBeCloseTo(back[i]!, 9);
        });
      }),
    );
  });

  it('makes the advantages of each token', () => {
    const sample = sampleWith({
      reward: 2,
      step: { index: 0, outcome: 1 },
      teacher: { hint: 'Use a list.', logProbs: [-1, -1], top: null },
      training: { method: 'hybrid', weights: { binary_reward: 0.5, opd: 2 } },
    });
    expect([...sampleAdvantages(sample, -1)]).toEqual([0.5 * -1 + 2 * -0.5, 0.5 * -1]);
    expect([...sampleAdvantages(sample)]).toEqual([0.5 * 2 + 2 * -0.5, 0.5 * 2]);
  });
});
