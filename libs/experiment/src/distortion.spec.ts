import fc from 'fast-check';
import { seededRandom } from '@app/pocket-lm';
import { DISTORTIONS, distortBatch, type Signals } from './distortion';

const sample = (score: number, policy: readonly number[], teacher: readonly number[] | null): Signals => ({
  reward: { score },
  rollout_log_probs: policy,
  teacher_log_probs: teacher,
});
const batch = [sample(1, [-1, -2, -3], [-4, -5, -6]), sample(-1, [-7], null), sample(1, [-8, -9], [-10, -11])];

describe('distortBatch', () => {
  it('puts log-probs of the policy one token late, and nothing else', () => {
    expect(distortBatch(batch, 'late-policy', seededRandom(1))).toEqual([
      sample(1, [0, -1, -2], [-4, -5, -6]),
      sample(-1, [0], null),
      sample(1, [0, -8], [-10, -11]),
    ]);
  });

  it('puts log-probs of the teacher one token late, and nothing else', () => {
    expect(distortBatch(batch, 'late-teacher', seededRandom(1))).toEqual([
      sample(1, [-1, -2, -3], [0, -4, -5]),
      sample(-1, [-7], null),
      sample(1, [-8, -9], [0, -10]),
    ]);
  });

  it('gives rewards to other samples, each once, the same for a seed', () => {
    const rewards = fc.array(fc.constantFrom(1, -1, 0), { maxLength: 40 });
    fc.assert(
      fc.property(rewards, fc.nat(1000), (scores, seed) => {
        const samples = scores.map((score, at) => sample(score, [-at], null));
        const found = distortBatch(samples, 'shuffled-rewards', seededRandom(seed));
        expect(found.map(({ rollout_log_probs: [own] }) => own)).toEqual(
          samples.map((each) => each.rollout_log_probs[0]),
        );
        expect(found.map(({ reward }) => reward.score).sort()).toEqual([...scores].sort());
        expect(distortBatch(samples, 'shuffled-rewards', seededRandom(seed))).toEqual(found);
      }),
    );
  });

  it('breaks the tie between answer and reward', () => {
    const samples = Array.from({ length: 1000 }, (_, at) => sample(at % 2 === 0 ? 1 : -1, [-1], null));
    const found = distortBatch(samples, 'shuffled-rewards', seededRandom(3));
    const same = found.filter(({ reward }, at) => reward.score === samples[at]?.reward.score);
    expect(same.length).toBeGreaterThan(430);
    expect(same.length).toBeLessThan(570);
  });

  it('leaves what it is given as it was', () => {
    const before = structuredClone(batch);
    for (const distortion of DISTORTIONS) distortBatch(batch, distortion, seededRandom(1));
    expect(batch).toEqual(before);
  });
});
