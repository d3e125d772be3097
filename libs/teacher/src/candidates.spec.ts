import { loadSettings } from '@app/config';
import { policyCandidate, teacherCandidates } from './candidates';

const BOTH = {
  OPENCLAW_RL_SERVER_BASE_URL: 'http://policy',
  OPENCLAW_RL_SERVER_POLICY_MODEL: 'p',
  OPENCLAW_RL_SERVER_API_KEY_ENV: 'POLICY_KEY',
  POLICY_KEY: 'pk',
  OPENCLAW_RL_SERVER_JUDGE_BASE_URL: 'http://judge',
  OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j',
};

const settingsOf = (env: Record<string, string>) => loadSettings(env, () => null);
const candidates = (env: Record<string, string>) => teacherCandidates(settingsOf({ ...BOTH, ...env }));

const PRM = { name: 'prm', urls: ['http://judge'], model: 'j', apiKey: null };
const POLICY = { name: 'policy', urls: ['http://policy'], model: 'p', apiKey: 'pk' };

describe('teacherCandidates', () => {
  it('are the judge and then the policy by themselves', () => {
    expect(candidates({})).toEqual([PRM, POLICY]);
  });

  it('is the one that the setting names', () => {
    expect(candidates({ OPENCLAW_RL_OPD_TEACHER: 'prm' })).toEqual([PRM]);
    expect(candidates({ OPENCLAW_RL_OPD_TEACHER: 'policy' })).toEqual([POLICY]);
  });

  it('is a server of its own, with its own model and key, or the name of the policy and no key', () => {
    const env = { OPENCLAW_RL_OPD_TEACHER: 'http://teacher:1' };
    expect(candidates(env)).toEqual([{ name: 'opd.teacher', urls: ['http://teacher:1'], model: 'p', apiKey: null }]);
    const own = { OPENCLAW_RL_OPD_TEACHER_MODEL: 't', OPENCLAW_RL_OPD_TEACHER_API_KEY_ENV: 'T', T: 'tk' };
    expect(candidates({ ...env, ...own })).toMatchObject([{ model: 't', apiKey: 'tk' }]);
  });

  it('has nobody where nobody is configured', () => {
    expect(teacherCandidates(settingsOf({}))).toEqual([]);
    expect(policyCandidate(settingsOf({}))).toBeNull();
    expect(policyCandidate(settingsOf(BOTH))).toEqual(POLICY);
  });

  it('are on all engines of their pool', () => {
    const env = {
      ...BOTH,
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
      OPENCLAW_RL_POOLS_PRM_ENGINES: 'http://judge:1,http://judge:2',
    };
    expect(teacherCandidates(settingsOf(env))[0]).toMatchObject({ urls: ['http://judge:1', 'http://judge:2'] });
  });
});
