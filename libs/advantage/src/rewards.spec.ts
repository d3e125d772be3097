import fc from 'fast-check';
import { broadcastReward } from './broadcast-reward';
import golden from './fixtures/rewards.json';
import { expectClose, SINGLE, snapshot } from './fixtures/golden';
import { integratedReward } from './integrated-reward';
import { normalizeRewards, type RewardNormalization } from './normalize-rewards';
import type { Score } from './score';
import { combinedAdvantages, opdAdvantages } from './token-advantages';

const DIVIDED: RewardNormalization = { scale: 'std', epsilon: 1e-6, ofSingleton: 'zero' };

describe('broadcastReward', () => {
  it.each(golden.broadcast)('$name', ({ rewards, lengths, advantages }) => {
    rewards.forEach((reward, i) => {
      expectClose(broadcastReward(reward, lengths[i]!), advantages[i]!, SINGLE);
    });
  });
});

describe('normalizeRewards', () => {
  it.each(golden.normalized)('$name', ({ rewards, groups, scale, normalized }) => {
    const before = snapshot({ rewards, groups });
    const options = { ...DIVIDED, scale: scale as RewardNormalization['scale'] };
    expectClose(normalizeRewards(rewards, groups, options), normalized, SINGLE);
    expect(snapshot({ rewards, groups })).toBe(before);
  });

  it('leaves a missing score out of the mean, and gives it 0', () => {
    expect([...normalizeRewards([1, null, 0], [7, 7, 7], { ...DIVIDED, scale: 'none' })]).toEqual([0.5, 0, -0.5]);
  });

  it('gives a group of one nothing, or its own reward', () => {
    expect([...normalizeRewards([3, null], [1, 1], DIVIDED)]).toEqual([0, 0]);
    expect([...normalizeRewards([3, null], [1, 1], { ...DIVIDED, ofSingleton: 'reward' })]).toEqual([3, 0]);
  });

  it('keeps its digits where the mean is far from 0', () => {
    const options = { ...DIVIDED, epsilon: 0 };
    const std = Math.sqrt(0.171875 / 3);
    const expected = [-0.1875 / std, 0.0625 / std, 0.3125 / std, -0.1875 / std];
    const actual = normalizeRewards([1000, 1000.25, 1000.5, 1000], [0, 0, 0, 0], options);
    expectClose(actual, expected, { rel: 1e-12, abs: 0 });
  });

  it('makes the mean of every group 0', () => {
    const scored = fc.array(fc.tuple(fc.double({ min: -5, max: 5, noNaN: true }), fc.nat(2)), { minLength: 1 });
    fc.assert(
      fc.property(scored, (entries) => {
        const groups = entries.map(([, group]) => group);
        const normalized = normalizeRewards(
          entries.map(([reward]) => reward),
          groups,
          { ...DIVIDED, epsilon: 1e-3 },
        );
        for (const group of new Set(groups)) {
          const own = [...normalized].filter((_, i) => groups[i] === group);
          expect(Math.abs(own.reduce((sum, value) => sum + value, 0) / own.length)).toBeLessThan(1e-9);
        }
      }),
    );
  });

  it('names both lengths where they differ', () => {
    expect(() => normalizeRewards([1], [], DIVIDED)).toThrow('rewards has 1 entries and groups has 0');
  });
});

describe('integratedReward', () => {
  const weights = { outcomeWeight: 2, processWeight: 0.5 };

  it.each([
    ['weighs the outcome and the mean of the votes', 1, [1, 1, -1], 2 + 0.5 / 3],
    ['leaves failed votes out of the mean', -1, [null, 1, null], -1.5],
    ['has no reward without an outcome', null, [1], null],
    ['has no reward without a valid vote', 1, [null, null], null],
    ['counts a neutral vote', 0.5, [0, 1], 1.25],
  ] as [string, number | null, Score[], number | null][])('%s', (_name, outcome, votes, reward) => {
    expect(integratedReward(outcome, votes, weights)).toBe(reward);
  });
});

describe('opdAdvantages', () => {
  it.each(golden.opd)('$name', ({ teacherLogProbs, oldLogProbs, advantages }) => {
    const before = snapshot({ teacherLogProbs, oldLogProbs });
    teacherLogProbs.forEach((teacher, i) => {
      expectClose(opdAdvantages(teacher, oldLogProbs[i]!), advantages[i]!, SINGLE);
    });
    expect(snapshot({ teacherLogProbs, oldLogProbs })).toBe(before);
  });

  it('counts the first token, which the hint may change most', () => {
    const advantages = opdAdvantages([-3.2, -0.4, -1.1, -0.05], [-0.5, -0.6, -1, -0.1]);
    expectClose(advantages, [-2.7, 0.2, -0.1, 0.05], { rel: 1e-12, abs: 1e-15 });
  });

  it('cuts no longer teacher to fit', () => {
    expect(() => opdAdvantages([-1, -1], [-1])).toThrow('teacherLogProbs has 2 entries and oldLogProbs has 1');
  });
});

describe('combinedAdvantages', () => {
  const signal = { oldLogProbs: [-0.5, -1], binaryWeight: 2, opdWeight: 0.5 };

  it('adds reward and teacher, each by its weight', () => {
    const advantages = combinedAdvantages({ ...signal, reward: -1, teacherLogProbs: [-0.25, -2] });
    expect([...advantages]).toEqual([-1.875, -2.5]);
  });

  it('has no teacher term without a teacher, whatever the old log-probs are', () => {
    const alone = { ...signal, reward: -1, teacherLogProbs: null, binaryWeight: 1, opdWeight: 1 };
    expect([...combinedAdvantages({ ...alone, oldLogProbs: [-0.5, -1, -2.3, -1.7] })]).toEqual([-1, -1, -1, -1]);
  });

  it('is the plain OPD term at reward 0 and weight 1', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.double({ min: -20, max: 0, noNaN: true }), fc.double({ min: -20, max: 0, noNaN: true }))),
        (rows) => {
          const [teacherLogProbs, oldLogProbs] = [rows.map(([teacher]) => teacher), rows.map(([, old]) => old)];
          const combined = combinedAdvantages({
            reward: 0,
            teacherLogProbs,
            oldLogProbs,
            binaryWeight: 3,
            opdWeight: 1,
          });
          expectClose(combined, opdAdvantages(teacherLogProbs, oldLogProbs), { rel: 0, abs: 0 });
        },
      ),
    );
  });
});
