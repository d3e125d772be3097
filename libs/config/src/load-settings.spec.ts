import { inspect } from 'node:util';
import { configuredSettings, configuredValues, plainVariables } from './configured';
import { loadSettings } from './load-settings';
import type { Settings } from './settings';
import { SettingsError } from './settings-error';
import type { Environment } from './sources';

type Files = Readonly<Record<string, string>>;

function load(env: Environment, files: Files = {}): Settings {
  return loadSettings(env, (path) => files[path] ?? null);
}

function refusal(env: Environment, files: Files = {}): SettingsError {
  try {
    load(env, files);
  } catch (error) {
    if (error instanceof SettingsError) return error;
    throw error;
  }
  throw new Error('the settings were accepted');
}

const toml = (text: string): Files => ({ 'openclaw-rl.toml': text });

describe('where settings come from', () => {
  test('reads the file that OPENCLAW_RL_CONFIG names', () => {
    const settings = load({ OPENCLAW_RL_CONFIG: 'my.toml' }, { 'my.toml': '[judge]\nvotes = 5' });
    expect(settings.judge.votes).toBe(5);
  });

  test('refuses a named file that is not there', () => {
    expect(refusal({ OPENCLAW_RL_CONFIG: 'my.toml' }).message).toContain('OPENCLAW_RL_CONFIG is "my.toml"');
  });

  test("prefers a setting's own variable to a published one", () => {
    expect(load({ PRM_M: '5', OPENCLAW_RL_JUDGE_VOTES: '7' }).judge.votes).toBe(7);
  });

  test('takes an empty variable as not set', () => {
    expect(load({ PRM_M: '', OPENCLAW_RL_SERVER_BASE_URL: ' ' }, toml('[judge]\nvotes = 5')).judge.votes).toBe(5);
  });

  test('takes an empty base_url in the file as none', () => {
    expect(load({}, toml('[server]\nbase_url = ""')).server.baseUrl).toBeNull();
  });

  test('says which settings were configured', () => {
    const configured = configuredSettings({ NATS_URL: 'nats://a:1' }, () => '[judge]\nvotes = 5');
    expect([...configured].sort()).toEqual(['judge.votes', 'nats.url']);
  });

  test('tells what was configured, as it is used and without secrets, and where', () => {
    const files = toml('[judge]\nvotes = 5\n[gateway]\napi_keys = ["hidden"]');
    const env = { NATS_URL: 'nats://u:hidden@a:1', OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a/v1' };
    const model = { OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' };
    const settings = load({ ...env, ...model }, files);
    expect(configuredValues(settings, env, (path) => files[path] ?? null)).toEqual({
      'judge.votes': { value: 5, from: 'openclaw-rl.toml' },
      'nats.url': { value: 'nats://***@a:1', from: 'NATS_URL' },
      'pools.policy_engines': { value: ['http://a'], from: 'OPENCLAW_RL_POOLS_POLICY_ENGINES' },
    });
  });

  test('tells the variables that are settings and no secrets', () => {
    const env = { PATH: '/bin', PORT: '1', OPENCLAW_RL_CONFIG: 'my.toml', PRM_M: ' ' };
    const secret = { SGLANG_API_KEY: 'hidden', OPENCLAW_RL_DOOR_API_KEYS: 'hidden', NATS_URL: 'nats://u:hidden@a:1' };
    expect(plainVariables({ ...env, ...secret })).toEqual({ PORT: '1', OPENCLAW_RL_CONFIG: 'my.toml' });
  });

  test('gives settings that nobody can change', () => {
    expect(() => Object.assign(load({}).judge, { votes: 1 })).toThrow(TypeError);
  });
});

describe('one server or two', () => {
  const policy = { OPENCLAW_RL_SERVER_BASE_URL: 'http://p:1', OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' };

  test('one entry serves both policy and judge', () => {
    const { server } = load({ ...policy, OPENCLAW_RL_SERVER_API_KEY_ENV: 'K', K: 'secret' });
    expect(server).toMatchObject({
      judgeBaseUrl: 'http://p:1',
      judgeModel: 'p',
      apiKey: 'secret',
      judgeApiKey: 'secret',
    });
  });

  test('never sends the key of the policy to another server', () => {
    const { server } = load({
      ...policy,
      ...{ OPENCLAW_RL_SERVER_API_KEY_ENV: 'K', K: 'secret' },
      ...{ OPENCLAW_RL_SERVER_JUDGE_BASE_URL: 'http://j:1', OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j' },
    });
    expect(server).toMatchObject({ judgeBaseUrl: 'http://j:1', judgeModel: 'j', apiKey: 'secret', judgeApiKey: null });
  });

  test.each(['http://p:1', 'http://p:1/', 'http://p:1/v1', 'http://p:1/v1/', 'http://p:1//'])(
    'reads %s as the same URL',
    (url) => {
      expect(load({ ...policy, OPENCLAW_RL_SERVER_BASE_URL: url }).server.baseUrl).toBe('http://p:1');
    },
  );

  test('refuses a key variable that is not set, without printing what was written', () => {
    const { message } = refusal({ ...policy, OPENCLAW_RL_SERVER_API_KEY_ENV: 'sk_live_pasted' });
    expect(message).toContain('server.api_key_env (OPENCLAW_RL_SERVER_API_KEY_ENV)');
    expect(message).not.toContain('sk_live_pasted');
  });

  test('names a key variable that is not set, if it looks like one', () => {
    const { message } = refusal({ ...policy, OPENCLAW_RL_SERVER_API_KEY_ENV: 'MY_POLICY_KEY' });
    expect(message).toContain('the environment variable MY_POLICY_KEY, which is not set');
    const pasted = refusal({ ...policy, OPENCLAW_RL_SERVER_API_KEY_ENV: 'AKIAPASTED7' });
    expect(pasted.message).not.toContain('AKIAPASTED7');
  });
});

describe('keys', () => {
  test('collects the keys of list, file and SGLANG_API_KEY, each once', () => {
    const files = { ...toml('[gateway]\napi_keys = ["a"]\napi_keys_file = "k"'), k: '# mine\nb\r\n\n a \n' };
    expect(load({ SGLANG_API_KEY: 'c' }, files).gateway.apiKeys).toEqual(['a', 'b', 'c']);
  });

  test("collects the keys of the trainer's door from list and file", () => {
    const files = { ...toml('[door]\napi_keys = ["a"]\napi_keys_file = "k"'), k: 'b\na\n' };
    const { door, gateway } = load({}, files);
    expect([door.apiKeys, gateway.apiKeys]).toEqual([['a', 'b'], []]);
  });

  test("keeps SGLANG_API_KEY from the trainer's door", () => {
    expect(load({ SGLANG_API_KEY: 'c' }).door.apiKeys).toEqual([]);
  });

  test.each([
    ['JSON', (settings: Settings) => JSON.stringify(settings)],
    ['a log line', (settings: Settings) => inspect(settings, { depth: 5 })],
  ])('shows no secret in %s', (_, show) => {
    const shown = show(
      load({
        ...{ OPENCLAW_RL_SERVER_BASE_URL: 'http://u:hidden-1@p:1', OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' },
        ...{ OPENCLAW_RL_SERVER_API_KEY_ENV: 'K', K: 'hidden-2', OPENCLAW_RL_GATEWAY_API_KEYS: 'hidden-3' },
        ...{ OPENCLAW_RL_DOOR_API_KEYS: 'hidden-4', NATS_URL: 'nats://u:hidden-5@n:1' },
      }),
    );
    expect(shown).not.toContain('hidden');
    expect(shown).toContain('***');
  });

  test('shows no secret in a refusal', () => {
    const file = toml(
      '[gateway]\napi_keys = "hidden-1"\n[door]\napi_keys = ["hidden 2"]\n[nats]\nurl = "http://u:hidden@n"',
    );
    expect(refusal({}, file).problems).toHaveLength(3);
    expect(refusal({}, file).message).not.toContain('hidden');
  });

  test('shows no line of a file that cannot be read', () => {
    const { message } = refusal({}, toml('[gateway]\napi_keys = ["hidden'));
    expect(message).toContain('openclaw-rl.toml, line 2');
    expect(message).not.toContain('hidden');
  });
});

describe('keys that were meant as a list', () => {
  test.each(['["hidden-1","hidden-2"]', "['hidden-1']", '"hidden-1"', "hidden-0,'hidden-1'", '[hidden-1]'])(
    'are refused with the way to write them: %s',
    (list) => {
      for (const section of ['gateway', 'door']) {
        const { problems } = refusal({ [`OPENCLAW_RL_${section.toUpperCase()}_API_KEYS`]: list });
        expect(problems).toHaveLength(1);
        expect(problems[0]).toContain(`${section}.api_keys (`);
        expect(problems[0]).toContain('key-1,key-2');
        expect(problems[0]).not.toContain('hidden');
      }
    },
  );
});

describe('settings that contradict each other', () => {
  test.each<[name: string, env: Environment, names: string[]]>([
    ['a gateway for everybody without keys', { HOST: '0.0.0.0' }, ['gateway.host', 'gateway.allow_unauthenticated']],
    [
      'keys and no need for them',
      { OPENCLAW_RL_GATEWAY_API_KEYS: 'a', OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED: 'true' },
      ['gateway.api_keys', 'gateway.allow_unauthenticated'],
    ],
    ["a trainer's door for everybody without keys", { OPENCLAW_RL_DOOR_HOST: '::' }, ['door.host', 'door.api_keys']],
    [
      'one key for chat and training',
      { SGLANG_API_KEY: 'a', OPENCLAW_RL_DOOR_API_KEYS: 'a' },
      ['gateway.api_keys', 'door.api_keys'],
    ],
    [
      'one key with two roles in the console',
      { OPENCLAW_RL_CONSOLE_VIEWER_KEYS: 'a', OPENCLAW_RL_CONSOLE_OPERATOR_KEYS: 'a' },
      ['console.viewer_keys', 'console.operator_keys'],
    ],
    ['one port for both doors', { PORT: '30100' }, ['gateway.port', 'door.port']],
    ['a model without a server', { OPENCLAW_RL_SERVER_POLICY_MODEL: 'p' }, ['server.policy_model', 'server.base_url']],
    ['a server without a model', { OPENCLAW_RL_SERVER_BASE_URL: 'http://p' }, ['server.policy_model']],
    ['a judge model without a server', { OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j' }, ['server.judge_model']],
    ['a judge server without a model', { OPENCLAW_RL_SERVER_JUDGE_BASE_URL: 'http://j' }, ['server.judge_base_url']],
    [
      'another server than the engines',
      {
        OPENCLAW_RL_SERVER_BASE_URL: 'http://p',
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'p',
        OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a,http://b',
      },
      ['server.base_url', 'pools.policy_engines', 'pools.policy_router'],
    ],
    ['a router without a URL', { OPENCLAW_RL_POOLS_POLICY_ROUTER: '1' }, ['pools.policy_router', 'server.base_url']],
    [
      "another server than the judge's engines",
      {
        OPENCLAW_RL_SERVER_JUDGE_BASE_URL: 'http://j',
        OPENCLAW_RL_SERVER_JUDGE_MODEL: 'j',
        OPENCLAW_RL_POOLS_PRM_ENGINES: 'http://a,http://b',
      },
      ['server.judge_base_url', 'pools.prm_engines'],
    ],
    [
      'engines without a model',
      { OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a' },
      ['server.policy_model', 'pools.policy_engines'],
    ],
    [
      "a judge's engines without a model",
      { OPENCLAW_RL_POOLS_PRM_ENGINES: 'http://a' },
      ['server.judge_model', 'pools.prm_engines'],
    ],
    ['a key without a server', { OPENCLAW_RL_SERVER_API_KEY_ENV: 'K', K: 'k' }, ['server.api_key_env']],
    [
      "a judge's key without a server",
      { OPENCLAW_RL_SERVER_JUDGE_API_KEY_ENV: 'K', K: 'k' },
      ['server.judge_api_key_env'],
    ],
    [
      'a teacher at a temperature of its own',
      { OPENCLAW_RL_OPD_TEACHER_TEMPERATURE: '0.6' },
      ['opd.teacher_temperature'],
    ],
    [
      "a teacher at another temperature than the policy's log-probs",
      { OPENCLAW_RL_OPD_STUDENT_TEMPERATURE: '0.6' },
      ['opd.teacher_temperature', 'opd.student_temperature'],
    ],
    [
      'integrated rewards where there are none',
      { OPENCLAW_RL_REWARD_INTEGRATED: '1', OPENCLAW_RL_RL_ALGORITHM: 'opd' },
      ['reward.integrated', 'rl.algorithm'],
    ],
    [
      'integrated rewards in eval mode',
      { OPENCLAW_RL_REWARD_INTEGRATED: '1', OPENCLAW_EVAL_MODE: '1' },
      ['reward.integrated', 'rl.eval_mode'],
    ],
    [
      'integrated rewards of weight 0',
      { OPENCLAW_RL_REWARD_INTEGRATED: '1', OPENCLAW_COMBINE_W_RL: '0' },
      ['reward.integrated', 'rl.binary_reward_weight'],
    ],
    [
      'integrated rewards that are all 0',
      {
        OPENCLAW_RL_REWARD_INTEGRATED: '1',
        OPENCLAW_RL_REWARD_OUTCOME_WEIGHT: '0',
        OPENCLAW_RL_REWARD_PROCESS_WEIGHT: '0',
      },
      ['reward.integrated', 'reward.outcome_weight', 'reward.process_weight'],
    ],
  ])('refuses %s', (_, env, names) => {
    const { problems } = refusal(env);
    expect(problems).toHaveLength(1);
    for (const name of names) expect(problems[0]).toContain(name);
  });

  test('speaks of the address that was set, and not of the one that would have been its place', () => {
    expect(refusal({ OPENCLAW_RL_POOLS_PRM_ENGINES: 'http://a' }).problems.join()).not.toContain('base_url');
    expect(refusal({ OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a' }).problems.join()).not.toContain('base_url');
  });

  test.each<[string, Environment]>([
    [
      'a server that is one of the engines',
      {
        OPENCLAW_RL_SERVER_BASE_URL: 'http://a/v1',
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'p',
        OPENCLAW_RL_POOLS_POLICY_ENGINES: 'http://a,http://b',
      },
    ],
    ['a gateway for everybody with a key', { HOST: '0.0.0.0', SGLANG_API_KEY: 'a' }],
    ['a gateway that is opened on purpose', { HOST: '0.0.0.0', OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED: '1' }],
    ['a door for everybody with a key', { OPENCLAW_RL_DOOR_HOST: '0.0.0.0', OPENCLAW_RL_DOOR_API_KEYS: 'a' }],
    ['free ports for both doors', { PORT: '0', OPENCLAW_RL_DOOR_PORT: '0' }],
  ])('accepts %s', (_, env) => {
    expect(() => load(env)).not.toThrow();
  });

  test('concludes nothing from a value that was refused', () => {
    const { problems } = refusal({ HOST: '0.0.0.0' }, toml('[gateway]\napi_keys = "a"'));
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^gateway\.api_keys \(/);
  });
});

describe('names that are not known', () => {
  test.each<[string, Environment, string]>([
    ['rl.at_least_one in openclaw-rl.toml', {}, '[rl]\nat_least_one = true'],
    ['OPENCLAW_RL_RL_AT_LEAST_ONE', { OPENCLAW_RL_RL_AT_LEAST_ONE: '1' }, ''],
  ])('refuses %s, and says what it would do', (name, env, text) => {
    expect(refusal(env, toml(text)).problems).toEqual([
      expect.stringMatching(new RegExp(`^${name} is not supported: .*without a KL term nothing is learned`)),
    ]);
  });

  test('says which sections, keys and variables there are', () => {
    expect(refusal({}, toml('[judges]\nvotes = 3')).message).toMatch(/\[judges\].*sections are rl, server/);
    expect(refusal({}, toml('[judge]\nvote = 3')).message).toMatch(/judge\.vote .*keys of \[judge\] are votes/);
    expect(refusal({}, toml('votes = 3')).message).toContain('[votes]');
    expect(refusal({}, toml('judge = 3')).message).toContain('[judge] in openclaw-rl.toml must be a section');
    expect(refusal({ OPENCLAW_RL_JUDGE_VOTE: '3' }).message).toContain('OPENCLAW_RL_JUDGE_VOTE is not known');
  });

  test.each<[string, Environment, string]>([
    ['did you mean judge?', {}, '[jugde]\nvotes = 3'],
    ['did you mean judge.votes?', {}, '[judge]\nvote = 3'],
    ['did you mean judge.votes?', {}, '[rl]\nvotes = 3'],
    ['did you mean OPENCLAW_RL_JUDGE_VOTES?', { OPENCLAW_RL_JUDGE_VOTE: '3' }, ''],
  ])('says %s', (meant, env, text) => {
    expect(refusal(env, toml(text)).message).toContain(meant);
  });

  test('guesses nothing where no name is near', () => {
    expect(refusal({}, toml('[judge]\nfavourite_colour = 3')).message).not.toContain('did you mean');
  });

  test('leaves the variables of other programs alone', () => {
    expect(() => load({ PATH: '/bin', OPENCLAW_HOME: '/x' })).not.toThrow();
  });
});

test('reports every problem at once, with value and place', () => {
  const { problems, message } = refusal(
    { PRM_M: 'many', OPENCLAW_RL_RL_AT_LEAST_ONE: '1' },
    toml('[judge]\ntimeout_s = "3"\n[rl]\nalgorithm = "ppo"\n[door]\nhost = "0.0.0.0"'),
  );
  expect(problems).toHaveLength(5);
  expect(message).toContain(
    'judge.votes (OPENCLAW_RL_JUDGE_VOTES, PRM_M) is "many", from PRM_M; allowed: a whole number',
  );
  expect(message).toContain('judge.timeout_s (OPENCLAW_RL_JUDGE_TIMEOUT_S) is "3", from openclaw-rl.toml');
  expect(message).toContain('allowed: binary, opd, hybrid, combine');
});
