import { loadSettings, type Settings } from '@app/config';
import { describePlan } from './describe-plan';
import { obeysGate, planPools, PoolPlanError, requirePools } from './pool-plan';

const POLICY = { OPENCLAW_RL_SERVER_BASE_URL: 'http://p:1', OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
const JUDGE = { OPENCLAW_RL_SERVER_JUDGE_BASE_URL: 'http://j:2/v1', OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge' };

const settingsOf = (env: Readonly<Record<string, string>>, toml = ''): Settings =>
  loadSettings(env, () => (toml === '' ? null : toml));

const problemsOf = (env: Readonly<Record<string, string>>): readonly string[] => {
  try {
    requirePools(settingsOf(env));
  } catch (error) {
    if (error instanceof PoolPlanError) return error.problems;
    throw error;
  }
  return [];
};

const gpusOf = (env: Readonly<Record<string, string>>): unknown => {
  const { trainer, policy, prm } = requirePools(settingsOf(env)).pools;
  return [trainer.gpus, policy.gpus, prm.gpus];
};

describe('layouts', () => {
  it('give the trainer 0-3, the policy 4-5 and the judge 6-7 by default', () => {
    expect(gpusOf({})).toEqual([
      [0, 1, 2, 3],
      [4, 5],
      [6, 7],
    ]);
    expect(planPools(settingsOf({ ...POLICY, ...JUDGE })).pools.prm).toEqual({
      name: 'prm',
      gpus: [6, 7],
      engines: ['http://j:2'],
      tensorParallel: 2,
    });
  });

  it('take the published variables', () => {
    const counts = { NUM_GPUS: '4', ACTOR_GPUS: '2', ROLLOUT_GPUS: '1', PRM_GPUS: '1' };
    expect(gpusOf({ ...counts, ...POLICY, ...JUDGE })).toEqual([[0, 1], [2], [3]]);
  });

  it('give the judge no GPU where it shares the policy’s engine', () => {
    const plan = requirePools(settingsOf(POLICY));
    expect(plan.judgeSharesEngine).toBe(true);
    expect(plan.pools.prm).toMatchObject({ gpus: [], engines: [] });
  });

  it('give a hosted judge no GPU when told so', () => {
    const plan = requirePools(settingsOf({ ...POLICY, ...JUDGE, PRM_GPUS: '0' }));
    expect(plan.judgeSharesEngine).toBe(false);
    expect(plan.pools.prm).toMatchObject({ gpus: [], engines: ['http://j:2'], tensorParallel: 0 });
  });

  it('give each of several engines its share of the GPUs', () => {
    const env = { OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a:1,http://b:1', OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
    const plan = requirePools(settingsOf(env));
    expect(plan.pools.policy).toMatchObject({ engines: ['http://a:1', 'http://b:1'], tensorParallel: 1 });
    expect(plan).toMatchObject({ policyUrls: ['http://a:1', 'http://b:1'], judgeUrls: ['http://a:1', 'http://b:1'] });
    expect(plan.judgeSharesEngine).toBe(true);
  });

  it('send chats to the router in front of the engines', () => {
    const engines = { OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a:1,http://b:1', OPENCLAW_RL_POOLS_POLICY_ROUTER: '1' };
    const plan = requirePools(settingsOf({ ...engines, ...POLICY }));
    expect(plan.policyUrls).toEqual(['http://p:1']);
    expect(plan.pools.policy.engines).toEqual(['http://a:1', 'http://b:1']);
    expect(plan.judgeSharesEngine).toBe(true);
  });

  it('give the judge engines of its own', () => {
    const engines = { OPENCLAW_RL_POOLS_PRM_ENGINES: 'http://j:2,http://k:2', OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j' };
    const plan = requirePools(settingsOf({ ...engines, ...POLICY }));
    expect(plan.pools.prm).toMatchObject({ engines: ['http://j:2', 'http://k:2'], tensorParallel: 1 });
    expect(plan.judgeSharesEngine).toBe(false);
  });

  it('put everything on one GPU with colocate', () => {
    const env = { ...POLICY, ...JUDGE, NUM_GPUS: '1', OPENCLAW_RL_SLIME_COLOCATE: 'true' };
    expect(gpusOf(env)).toEqual([[0], [0], [0]]);
  });
});

describe('obeysGate', () => {
  const obeys = (env: Record<string, string>, urls: string[]): boolean => obeysGate(planPools(settingsOf(env)), urls);
  const engines = { OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a:1,http://b:1', OPENCLAW_RL_POOLS_POLICY_ROUTER: '1' };

  it('is for the policy’s engines and their router, and not for others', () => {
    expect(obeys(POLICY, ['http://p:1'])).toBe(true);
    expect(obeys({ ...POLICY, ...JUDGE }, ['http://j:2'])).toBe(false);
    for (const url of ['http://p:1', 'http://b:1']) expect(obeys({ ...POLICY, ...engines }, [url])).toBe(true);
  });

  it('is for a judge on GPUs of the trainer, but not for a hosted one', () => {
    const colocated = { ...POLICY, ...JUDGE, OPENCLAW_RL_SLIME_COLOCATE: 'true' };
    expect(obeys(colocated, ['http://j:2'])).toBe(true);
    expect(obeys({ ...colocated, PRM_GPUS: '0' }, ['http://j:2'])).toBe(false);
  });
});

describe('what cannot be', () => {
  it.each<[string, Record<string, string>, string]>([
    [
      'an overlap',
      { ACTOR_GPUS: '0-4', OPENCLAW_RL_POOLS_POLICY_GPUS: '4-5', ...POLICY },
      'pools.trainer_gpus and pools.policy_gpus both hold GPU 4: take them apart, or set slime.colocate = true',
    ],
    [
      'more GPUs than there are',
      { NUM_GPUS: '4' },
      'pools.policy_gpus comes to GPU 4-5, and the machine has 0-3 (pools.gpus, NUM_GPUS): give it fewer, or set slime.colocate = true to share them',
    ],
    [
      'a size that does not divide',
      { OPENCLAW_RL_POOLS_TRAINER_TP: '3' },
      'pools.trainer_tp is 3 and does not divide the 4 GPUs of the pool (pools.trainer_gpus)',
    ],
    [
      'a judge of a size that does not divide',
      { ...POLICY, ...JUDGE, OPENCLAW_RL_POOLS_PRM_TP: '3' },
      'pools.prm_tp is 3 and does not divide the 2 GPUs of the pool (pools.prm_gpus)',
    ],
    [
      'GPUs that no engine uses',
      { ...POLICY, OPENCLAW_RL_POOLS_POLICY_TP: '1' },
      'pools.policy_gpus holds 2 GPUs, and 1 engines of 1 use 1: change one of them, or pools.policy_tp',
    ],
    [
      'a pool without an engine',
      { ...POLICY, PRM_GPUS: '2' },
      'pools.prm_gpus holds GPU 6-7, and no engine runs there: set server.judge_base_url, or pools.prm_gpus = 0',
    ],
    [
      'a policy without an engine',
      { ROLLOUT_GPUS: '2' },
      'pools.policy_gpus holds GPU 4-5, and no engine runs there: set server.base_url, or pools.policy_gpus = 0',
    ],
  ])('is said: %s', (_what, env, problem) => {
    expect(problemsOf(env)).toContain(problem);
  });

  it('is said all at once', () => {
    const problems = problemsOf({ NUM_GPUS: '2', OPENCLAW_RL_POOLS_TRAINER_TP: '3' });
    expect(problems).toHaveLength(4);
    expect(new PoolPlanError(problems).message).toContain(problems[3]);
  });

  it('lets pools overlap with colocate', () => {
    expect(problemsOf({ ...POLICY, ACTOR_GPUS: '0-3', ROLLOUT_GPUS: '2-3', OPENCLAW_RL_SLIME_COLOCATE: '1' })).toEqual(
      [],
    );
  });
});

describe('describePlan', () => {
  it('shows GPUs, engines, visible devices and what a compose file needs', () => {
    expect(describePlan(planPools(settingsOf({ ...POLICY, ...JUDGE }))).split('\n')).toEqual([
      'pool     GPUs  tensor parallel  CUDA_VISIBLE_DEVICES  engine',
      'trainer  0-3   4                0,1,2,3               -',
      'policy   4-5   2                4,5                   http://p:1',
      'prm      6-7   2                6,7                   http://j:2',
      '',
      'In a compose file, as deploy.resources.reservations.devices of the services:',
      '  trainer: [{ driver: nvidia, device_ids: ["0", "1", "2", "3"], capabilities: [gpu] }]',
      '  policy: [{ driver: nvidia, device_ids: ["4", "5"], capabilities: [gpu] }]',
      '  prm: [{ driver: nvidia, device_ids: ["6", "7"], capabilities: [gpu] }]',
    ]);
  });

  it('says where the judge is a guest, and gives each engine of a pool its own GPUs', () => {
    const text = describePlan(planPools(settingsOf({ ...POLICY, OPENCLAW_RL_POOLS_POLICY_TP: '1' })));
    expect(text).toContain('prm       -     -                -                     the policy');
    expect(text).toContain('policy-2  5     1                5                     no URL configured');
  });
});
