import { scoreSequences, type Machine } from '@app/pocket-lm';
import type { Sample } from '@app/sample';
import { TINY, tinyMachine, tinyParameters } from '../../../../libs/pocket-lm/src/testing/tiny-model';
import { sampleOf } from './fixtures/tiny-samples';
import { Learner, type LearnerOptions } from './learner';
import { untrainable } from './trainable';

const OPTIONS: LearnerOptions = {
  objective: {
    clip: { low: 0.2, high: 0.28, dual: null },
    kl: 'low_var_kl',
    klCoefficient: 0.02,
    entropyCoefficient: 0,
    distillationCoefficient: 1,
  },
  reduction: 'sample_mean',
  rewards: { scale: 'std', epsilon: 1e-6, ofSingleton: 'reward' },
  optimizer: { beta1: 0.9, beta2: 0.95, epsilon: 1e-2, decay: 0, maxNorm: 1 },
  learningRate: 5e-3,
};
const objective = (change: Partial<LearnerOptions['objective']>): LearnerOptions => ({
  ...OPTIONS,
  objective: { ...OPTIONS.objective, ...change },
});
const optimizer = (change: Partial<LearnerOptions['optimizer']>): LearnerOptions => ({
  ...OPTIONS,
  optimizer: { ...OPTIONS.optimizer, ...change },
});

const machine = tinyMachine(1);
const learnerWith = (options = OPTIONS): Learner => new Learner(TINY, tinyParameters(1), options);

const logProbOf = (parameters: Float32Array, { tokens, response_length }: Sample): number => {
  const after: Machine = tinyMachine(1);
  after.parameters.write(parameters);
  const ids = Array.from(tokens);
  const { logProbs } = scoreSequences(after, [{ ids, from: ids.length - response_length }]);
  return logProbs[0]!.reduce((sum, each) => sum + each, 0);
};
const before = tinyParameters(1);
/** How much likelier `steps` steps on a batch make one of its samples, in nats. */
const gain = (samples: readonly Sample[], options = OPTIONS, steps = 3): number => {
  const learner = learnerWith(options);
  for (let step = 0; step < steps; step += 1) learner.step(samples);
  return logProbOf(learner.save().parameters, samples[0]!) - logProbOf(before, samples[0]!);
};

const good = sampleOf(machine, { seed: 1 });
const bad = sampleOf(machine, { seed: 1, reward: -1 });
/** The teacher finds each token likelier, or less likely, than the policy did. */
const taught = (by: number): Sample =>
  sampleOf(machine, {
    seed: 1,
    reward: 0,
    source: 'none',
    teacher: { hint: 'h', logProbs: good.rollout_log_probs.map((each) => Math.min(0, each + by)), top: null },
    training: { method: 'opd', weights: { binary_reward: 1, opd: 1 } },
  });

describe('Learner', () => {
  it('makes likelier what was praised or what the teacher finds likelier, and less likely the opposite', () => {
    expect(gain([good])).toBeGreaterThan(0.1);
    expect(gain([bad])).toBeLessThan(-0.1);
    expect(gain([taught(1)])).toBeGreaterThan(0.1);
    expect(gain([taught(-1)])).toBeLessThan(-0.1);
  });

  it('finds its own log-probs again in fresh samples, however they were taken', () => {
    const samples = [
      good,
      sampleOf(machine, { seed: 2, temperature: 0.7, tempered: false }),
      sampleOf(machine, { seed: 3, temperature: 0.7, tempered: true }),
      sampleOf(machine, { seed: 4, temperature: 1.3, tempered: true }),
    ];
    const found = learnerWith().step(samples);
    expect(found.log_prob_difference).toBeLessThan(1e-5);
    expect(found).toMatchObject({ clip_fraction: 0, kl: 0, advantage_mean: 1, advantage_std: 0, mean_score: 1 });
    expect(found.policy_loss).toBeCloseTo(-1, 5);
    expect(found.gradient_norm).toBeGreaterThan(0);
    expect(found.entropy).toBeGreaterThan(0);
    // Taken at another temperature than they say, they do not fit.
    const wrong = { ...samples[2]!, metadata: { ...samples[2]!.metadata, log_probs_tempered: false } };
    expect(learnerWith().step([wrong]).log_prob_difference).toBeGreaterThan(1e-2);
  });

  it('clips stale samples as it is told, on either side', () => {
    const [rise, fall] = [0.5, -0.5].map((shift) => sampleOf(machine, { seed: 1, shift, reward: shift > 0 ? 1 : -1 }));
    expect(learnerWith().step([rise!])).toMatchObject({ clip_fraction: 1 });
    expect(learnerWith(objective({ clip: { low: 0.2, high: 1, dual: null } })).step([rise!])).toMatchObject({
      clip_fraction: 0,
    });
    expect(learnerWith().step([fall!])).toMatchObject({ clip_fraction: 1 });
    expect(learnerWith(objective({ clip: { low: 0.5, high: 0.28, dual: null } })).step([fall!])).toMatchObject({
      clip_fraction: 0,
    });
    const far = sampleOf(machine, { seed: 1, shift: 2, reward: -1 });
    const dual = objective({ clip: { low: 0.2, high: 0.28, dual: 3 } });
    expect(learnerWith().step([far]).policy_loss).toBeGreaterThan(7);
    expect(learnerWith(dual).step([far]).policy_loss).toBeCloseTo(3, 6);
  });

  it('holds on to the weights it began with, the more the KL term counts', () => {
    const free = gain([good], objective({ klCoefficient: 0 }), 10);
    expect(gain([good], objective({ klCoefficient: 5 }), 10)).toBeLessThan(0.8 * free);
    const klBy = (kl: LearnerOptions['objective']['kl']): number => {
      const learner = learnerWith(objective({ kl, klCoefficient: 0 }));
      learner.step([good]);
      return learner.step([good]).kl;
    };
    expect(new Set((['k1', 'k2', 'k3'] as const).map(klBy)).size).toBe(3);
  });

  it('keeps more entropy with a bonus for it', () => {
    const entropyAfter = (entropyCoefficient: number): number => {
      const learner = learnerWith(objective({ entropyCoefficient }));
      for (let step = 0; step < 10; step += 1) learner.step([good]);
      return learner.step([good]).entropy;
    };
    expect(entropyAfter(1)).toBeGreaterThan(entropyAfter(0));
  });

  it("takes over the teacher's likeliest tokens, as much as that counts", () => {
    const count = good.response_length;
    const top = {
      logProbs: new Float64Array(count).fill(-0.01),
      ids: Int32Array.from(good.tokens.slice(-count)),
      present: new Uint8Array(count).fill(1),
    };
    const sample = sampleOf(machine, {
      seed: 1,
      reward: 0,
      source: 'none',
      teacher: { hint: 'h', logProbs: good.rollout_log_probs, top },
      training: { method: 'opd', weights: { binary_reward: 1, opd: 1 } },
    });
    expect(gain([sample])).toBeGreaterThan(0.1);
    expect(gain([sample], objective({ distillationCoefficient: 0 }))).toBeCloseTo(0, 5);
    expect(learnerWith().step([sample]).distillation_loss).toBeGreaterThan(0);
  });

  it.each<[string, LearnerOptions]>([
    ['a lower learning rate', { ...OPTIONS, learningRate: 1e-4 }],
    ['a larger epsilon', optimizer({ epsilon: 1 })],
    ['a smaller bound of the gradient', optimizer({ maxNorm: 1e-3 })],
  ])('learns less with %s', (_, options) => {
    expect(gain([good], options)).toBeLessThan(0.7 * gain([good]));
    expect(gain([good], options)).toBeGreaterThan(0);
  });

  it('shrinks its matrices by the weight decay', () => {
    const size = (decay: number): number => {
      const learner = learnerWith({ ...optimizer({ decay }), learningRate: 0.1 });
      learner.step([good]);
      return learner.save().parameters.reduce((sum, value) => sum + value * value, 0);
    };
    expect(size(1)).toBeLessThan(0.9 * size(0));
  });

  it.each(['beta1', 'beta2'] as const)('remembers its gradients by %s', (beta) => {
    const changes = [0.1, 0.99].map((value) => gain([good], optimizer({ [beta]: value })));
    expect(changes[0]).not.toBeCloseTo(changes[1]!, 4);
  });

  it('weighs a long answer by its tokens, or as one of the samples', () => {
    const long = sampleOf(machine, { seed: 5, prompt: 4, response: 40, reward: -1 });
    const [bySample, byToken] = (['sample_mean', 'token_sum'] as const).map(
      (reduction) => learnerWith({ ...OPTIONS, reduction }).step([good, long]).policy_loss,
    );
    expect(bySample).toBeCloseTo(0, 5);
    expect(byToken).toBeCloseTo(35 / 45, 5);
  });

  it('compares integrated rewards with those of the same step in the batch', () => {
    const [first, second] = [2, 1].map((reward, seed) =>
      sampleOf(machine, { seed, reward, step: { index: 0, outcome: 1 } }),
    );
    const stdOf = (scale: 'std' | 'none'): number => {
      const rewards = { ...OPTIONS.rewards, scale };
      const found = learnerWith({ ...OPTIONS, rewards }).step([first!, second!]);
      expect(found.advantage_mean).toBeCloseTo(0, 6);
      return found.advantage_std;
    };
    expect(stdOf('std')).toBeCloseTo(Math.SQRT1_2, 5);
    expect(stdOf('none')).toBeCloseTo(0.5, 5);
  });

  it('goes on from what was saved as if nothing had been', () => {
    const learner = learnerWith();
    learner.step([good]);
    const saved = learner.save();
    learner.step([good]);
    const resumed = learnerWith();
    resumed.restore(saved);
    resumed.step([good]);
    expect(resumed.save()).toEqual(learner.save());
  });
});

describe('untrainable', () => {
  it.each([
    ['nothing', { seed: 1 }, null],
    ['more tokens than the context holds', { seed: 1, prompt: 30, response: 30 }, 'too_long'],
    ['ids of another vocabulary', { seed: 1, tokens: [1, 2, 3, 4, TINY.vocabularySize] }, 'unknown_token'],
    ['log-probs of an unknown kind', { seed: 1, temperature: 0.7, tempered: null }, 'unknown_temperature'],
    ['log-probs of any kind at temperature 1', { seed: 1, tempered: null }, null],
  ])('names %s', (_, options, reason) => {
    expect(untrainable(sampleOf(machine, options), TINY)).toBe(reason);
  });
});
