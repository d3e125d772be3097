import { loadSettings } from '@app/config';
import { learnerOptions } from './open-pocket-backend';

const optionsBy = (env: Readonly<Record<string, string>>) => learnerOptions(loadSettings(env, () => null));
const DEFAULTS = optionsBy({});
const { objective, optimizer, rewards } = DEFAULTS;

describe('learnerOptions', () => {
  it.each([
    ['LEARNING_RATE', '0.25', { learningRate: 0.25 }],
    ['REDUCTION', 'token_sum', { reduction: 'token_sum' }],
    ['BETA1', '0.25', { optimizer: { ...optimizer, beta1: 0.25 } }],
    ['BETA2', '0.25', { optimizer: { ...optimizer, beta2: 0.25 } }],
    ['EPSILON', '0.25', { optimizer: { ...optimizer, epsilon: 0.25 } }],
    ['WEIGHT_DECAY', '0.25', { optimizer: { ...optimizer, decay: 0.25 } }],
    ['MAX_GRADIENT_NORM', '0.25', { optimizer: { ...optimizer, maxNorm: 0.25 } }],
    ['CLIP_LOW', '0.25', { objective: { ...objective, clip: { ...objective.clip, low: 0.25 } } }],
    ['CLIP_HIGH', '0.25', { objective: { ...objective, clip: { ...objective.clip, high: 0.25 } } }],
    ['DUAL_CLIP', '3', { objective: { ...objective, clip: { ...objective.clip, dual: 3 } } }],
    ['KL_COEFFICIENT', '0.25', { objective: { ...objective, klCoefficient: 0.25 } }],
    ['KL_ESTIMATOR', 'k1', { objective: { ...objective, kl: 'k1' } }],
    ['ENTROPY_COEFFICIENT', '0.25', { objective: { ...objective, entropyCoefficient: 0.25 } }],
    ['DISTILLATION_COEFFICIENT', '0.25', { objective: { ...objective, distillationCoefficient: 0.25 } }],
  ])('takes training.%s, and nothing else changes', (name, value, changed) => {
    expect(optionsBy({ [`OPENCLAW_RL_TRAINING_${name}`]: value })).toEqual({ ...DEFAULTS, ...changed });
  });

  it.each([
    ['STEP_SCALE', 'none', { scale: 'none' }],
    ['STEP_EPSILON', '0.25', { epsilon: 0.25 }],
    ['STEP_SINGLETON', 'zero', { ofSingleton: 'zero' }],
  ])('takes reward.%s, and nothing else changes', (name, value, changed) => {
    const changedRewards = { ...rewards, ...changed };
    expect(optionsBy({ [`OPENCLAW_RL_REWARD_${name}`]: value })).toEqual({ ...DEFAULTS, rewards: changedRewards });
  });
});
