import 'reflect-metadata';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEngineDouble, startNatsServer, type EngineDoubleOptions } from '@app/testing';
import { consult } from '../support/doctor';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';
import { startGateway } from '../support/start-gateway';

const opened = new Opened();
afterEach(() => opened.close());

describe('the doctor on settings', () => {
  it('names the setting that was meant, and looks at nothing that needs settings', async () => {
    const found = await consult(['pools'], { file: '[judge]\nvote = 3\n' });
    expect(found.settings?.status).toBe('failed');
    expect(found.settings?.seen).toContain('judge.vote in openclaw-rl.toml is not known; did you mean judge.votes?');
    expect(found.pools).toMatchObject({ status: 'unchecked', seen: 'not checked: settings has failed' });
    const byVariable = await consult(['settings'], { env: { OPENCLAW_RL_JUDGE_VOTE: '3' } });
    expect(byVariable.settings?.seen).toContain('did you mean OPENCLAW_RL_JUDGE_VOTES?');
  });

  it('sees a settings file that is called otherwise', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    const before = process.cwd();
    process.chdir(folder);
    try {
      writeFileSync('openclaw_rl.toml', '');
      const { settings: finding } = await consult(['settings']);
      expect(finding).toMatchObject({ status: 'warning', remedy: 'call it openclaw-rl.toml' });
      writeFileSync('openclaw-rl.toml', '');
      expect((await consult(['settings'])).settings).toMatchObject({ status: 'ok' });
    } finally {
      process.chdir(before);
      rmSync(folder, { recursive: true });
    }
  });

  it('shows pools that cannot be', async () => {
    const { pools } = await consult(['pools'], { file: '[pools]\npolicy_gpus = "0-1"\ntrainer_gpus = "0-3"\n' });
    expect(pools).toMatchObject({ status: 'failed', seen: expect.stringContaining('both hold GPU 0-1') });
    const given = await consult(['pools'], { file: '[pools]\npolicy_gpus = 2\n' });
    expect(given.pools).toMatchObject({ status: 'failed', seen: expect.stringContaining('no engine runs there') });
  });

  describe('of GPU pools, beside the GPUs that are there', () => {
    const external = { OPENCLAW_RL_SERVER_BASE_URL: 'http://127.0.0.1:1', OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
    let folder: string;
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'gpus-'));
    });
    afterEach(() => {
      rmSync(folder, { recursive: true });
    });

    /** The pools' finding on a machine whose driver has a tool that says this. */
    const lookWith = async (said: string, code: number, env: Record<string, string> = {}) => {
      const file = join(folder, 'nvidia-smi');
      writeFileSync(file, `#!/bin/sh\necho "${said}"\nexit ${code}\n`);
      chmodSync(file, 0o755);
      return (await consult(['pools'], { env: { PATH: folder, ...env } })).pools;
    };
    const listed = (count: number): string =>
      Array.from({ length: count }, (_, i) => `GPU ${i}: NVIDIA A100 (UUID: GPU-${i})`).join('\n');
    const BROKEN = 'NVIDIA-SMI has failed because it could not communicate with the NVIDIA driver.';

    it('counts them, and shows which do what', async () => {
      expect(await lookWith(listed(8), 0, external)).toMatchObject({
        status: 'ok',
        seen: 'GPUs of trainer 0-3; policy 4-5; prm -; 8 on this machine (nvidia-smi)',
      });
    });

    it('warns where there are fewer than engines on this machine are to have', async () => {
      expect(await lookWith(listed(2), 0, external)).toMatchObject({
        status: 'warning',
        seen: expect.stringContaining('policy 4-5; prm -, and 2 on this machine'),
        remedy: expect.stringContaining('NUM_GPUS=2'),
      });
    });

    it('warns where an operator has planned with some, and the driver is broken', async () => {
      expect(await lookWith(BROKEN, 9, { ...external, NUM_GPUS: '8' })).toMatchObject({
        status: 'warning',
        seen: expect.stringContaining(`no NVIDIA GPU on this machine (nvidia-smi: ${BROKEN})`),
        remedy: expect.stringContaining('look at the driver'),
      });
    });

    it('says that there is none where none is needed, and where the engines are elsewhere', async () => {
      expect(await lookWith('No devices were found', 6)).toMatchObject({
        status: 'ok',
        seen: 'the pocket model needs none; no NVIDIA GPU on this machine (nvidia-smi: No devices were found)',
      });
      expect(await lookWith('No devices were found', 6, external)).toMatchObject({
        status: 'ok',
        seen: expect.stringMatching(
          /^no NVIDIA GPU on this machine .*; where the engines run, by default: trainer 0-3/,
        ),
      });
    });

    it('says so where there is no driver at all', async () => {
      const { pools } = await consult(['pools'], { env: { PATH: folder } });
      expect(pools?.seen).toMatch(/\((no nvidia-smi, no \/dev\/nvidia0|\/dev\/nvidia\*)\)$/);
    });
  });
});

describe('the doctor on this machine', () => {
  it('tells a port that another program has from our own, and an address that is not of this machine', async () => {
    const other = await opened.add(new OddServer(() => ({ body: 'hello' }))).start();
    const { ports: taken } = await consult(['ports'], {
      env: { PORT: String(other.port), OPENCLAW_RL_DOOR_PORT: '0' },
    });
    expect(taken).toMatchObject({
      status: 'failed',
      seen: `port ${other.port} on 127.0.0.1 is taken by another program`,
      remedy: 'stop it, or set gateway.port to another port',
    });
    const engine = opened.add(await startEngineDouble());
    const gateway = opened.add(
      await startGateway({ OPENCLAW_RL_SERVER_BASE_URL: engine.url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'double' }),
    );
    const ours = { PORT: new URL(gateway.url).port, OPENCLAW_RL_DOOR_PORT: '0' };
    expect((await consult(['ports'], { env: ours })).ports).toMatchObject({ status: 'ok' });
    const elsewhere = {
      HOST: '192.0.2.1',
      OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED: 'true',
      OPENCLAW_RL_DOOR_PORT: '0',
    };
    const { ports: foreign } = await consult(['ports'], { env: { ...elsewhere, PORT: String(await freePort()) } });
    expect(foreign).toMatchObject({ status: 'failed', seen: '192.0.2.1 is no address of this machine' });
  });

  it('tells a store that is larger than the disk', async () => {
    const { disk } = await consult(['disk'], { env: { OPENCLAW_RL_NATS_STORE_GB: '10000' } });
    expect(disk).toMatchObject({ status: 'warning', remedy: 'make room, or lower nats.store_gb' });
    const small = await consult(['disk'], { env: { OPENCLAW_RL_NATS_STORE_GB: '0.1' } });
    expect(small.disk?.status).toBe('ok');
  });

  it('tells a server whose clock is another', async () => {
    const late = new Date(Date.now() - 3_600_000).toUTCString();
    const server = await opened.add(new OddServer(() => ({ headers: { date: late } }))).start();
    const env = { OPENCLAW_RL_SERVER_BASE_URL: server.url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
    const { clock } = await consult(['clock'], { env });
    expect(clock?.status).toBe('failed');
    expect(clock?.seen).toMatch(new RegExp(`^127.0.0.1:${server.port} is 3(599|600|601) s behind this machine$`));
  });
});

describe('the doctor on NATS', () => {
  const nats = (url: string, more: Record<string, string> = {}) => ({ env: { NATS_URL: url, ...more } });

  it('finds nothing wrong with a server that is in order', async () => {
    const { url } = opened.add(await startNatsServer());
    const found = await consult(['jetstream'], nats(url));
    expect(found.nats).toMatchObject({
      status: 'ok',
      seen: expect.stringMatching(/^nats-server 2\.\d+\.\d+ answers$/),
    });
    expect(found.jetstream?.status).toBe('ok');
  });

  it('says that npm start brings one where none is set', async () => {
    const found = await consult(['jetstream']);
    expect(found.nats).toMatchObject({ status: 'unchecked', seen: expect.stringContaining('not running: npm start') });
    expect(found.jetstream).toMatchObject({ status: 'unchecked', seen: found.nats?.seen });
  });

  it('tells nobody there from somebody else', async () => {
    const refused = await consult(['nats'], nats(`nats://127.0.0.1:${await freePort()}`));
    expect(refused.nats).toMatchObject({ status: 'failed', seen: expect.stringContaining('connection refused') });
    const web = await opened.add(new OddServer(() => ({}))).start();
    const other = await consult(['nats'], nats(`nats://127.0.0.1:${web.port}`));
    expect(other.nats).toMatchObject({ status: 'failed', remedy: 'is that a NATS server? mend nats.url' });
  });

  it('tells a wrong password, and shows none', async () => {
    const server = opened.add(await startNatsServer({ config: 'authorization { user: u, password: right }' }));
    const found = await consult(['nats'], nats(`nats://u:wrong-one@127.0.0.1:${server.port}`));
    expect(found.nats).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('mend user and password in nats.url'),
    });
    expect(JSON.stringify(found)).not.toContain('wrong-one');
  });

  const account = (jetstream: string): string => `accounts { A { ${jetstream}\nusers = [{ user: a, password: a }] } }`;

  it('tells a server without JetStream', async () => {
    const server = opened.add(await startNatsServer({ config: account('') }));
    const { jetstream } = await consult(['jetstream'], nats(`nats://a:a@127.0.0.1:${server.port}`));
    expect(jetstream).toMatchObject({ status: 'failed', seen: 'JetStream is not switched on' });
  });

  it('tells limits that are too narrow', async () => {
    const narrow = opened.add(await startNatsServer({ config: account('jetstream { max_file: 100MB }') }));
    const { jetstream: store } = await consult(['jetstream'], nats(`nats://a:a@127.0.0.1:${narrow.port}`));
    expect(store).toMatchObject({ status: 'failed', seen: 'the account may store 0.1 GB, and nats.store_gb is 10' });
    const short = opened.add(await startNatsServer({ config: 'max_payload: 1MB' }));
    const { jetstream: payload } = await consult(['jetstream'], nats(short.url));
    expect(payload).toMatchObject({ status: 'warning', seen: expect.stringContaining('up to 1.0 MiB') });
    const { jetstream: alone } = await consult(['jetstream'], nats(short.url, { OPENCLAW_RL_NATS_REPLICAS: '3' }));
    expect(alone).toMatchObject({ status: 'failed', seen: 'nats.replicas is 3, and the server stands alone' });
  });
});

describe('the doctor on judge and teacher', () => {
  const engine = async (options: EngineDoubleOptions = {}) => opened.add(await startEngineDouble(options));
  const judge = (url: string, more: Record<string, string> = {}) => ({
    env: { OPENCLAW_RL_SERVER_JUDGE_BASE_URL: url, OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge', ...more },
  });

  it('asks it two questions of its own', async () => {
    const double = await engine();
    double.script(
      { to: 'judge', content: '{"reason": "thanks", "score": 1}' },
      { to: 'judge', content: '{"score": -1}' },
    );
    expect((await consult(['judge-form'], judge(double.url)))['judge-form']).toMatchObject({ status: 'ok' });
    expect(double.chats('judge').map(({ lastText }) => lastText)).toEqual([
      expect.stringContaining('Thanks, that is right.'),
      expect.stringContaining('No, that is wrong.'),
    ]);
  });

  it('shows the raw answer of one that does not keep to the form', async () => {
    const double = await engine({ jsonSchema: false });
    double.script(...[1, 2].map(() => ({ to: 'judge' as const, content: 'I liked it very much.' })));
    expect((await consult(['judge-form'], judge(double.url)))['judge-form']).toMatchObject({
      status: 'failed',
      seen: 'no verdict in its answer',
      remedy: expect.stringContaining('set judge.format, or take a stronger server.judge_model'),
      quote: 'I liked it very much.',
    });
  });

  it('tells one that is cut off, and one that gives the wrong verdict', async () => {
    const cut = await engine();
    cut.script(() => ({ to: 'judge', content: 'First I think about it for a long time', cutOffAfterTokens: 4 }));
    expect((await consult(['judge-form'], judge(cut.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('raise judge.max_tokens'),
    });
    const wrong = await engine();
    wrong.script(() => ({ to: 'judge', content: '{"reason": "good", "score": 1}' }));
    expect((await consult(['judge-form'], judge(wrong.url)))['judge-form']).toMatchObject({
      status: 'warning',
      seen: 'it answers in the form, and gives 1 where -1 is right',
    });
  });

  it('tells a judge that is not there, refuses the key, or has no such model', async () => {
    const away = await consult(['judge-form'], judge(`http://127.0.0.1:${await freePort()}`));
    expect(away.judge).toMatchObject({ status: 'failed', remedy: expect.stringContaining('server.judge_base_url') });
    const { url } = await engine({ apiKey: 'right' });
    expect((await consult(['judge-form'], judge(url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('server.judge_api_key_env'),
    });
    const other = await opened.add(new OddServer(() => ({ status: 404, body: {} }))).start();
    expect((await consult(['judge-form'], judge(other.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('no model "judge"'),
    });
    const noChoices = await opened.add(new OddServer(() => ({ body: { result: 1 } }))).start();
    expect((await consult(['judge-form'], judge(noChoices.url)))['judge-form']).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining('no OpenAI-compatible chat API'),
    });
  });

  it('has the teacher score, and compares vocabularies', async () => {
    const policy = await engine();
    const hybrid = (url: string) =>
      judge(url, {
        OPENCLAW_RL_SERVER_BASE_URL: policy.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
        OPENCLAW_RL_OPD_TEACHER: 'prm',
      });
    const good = await consult(['teacher'], hybrid((await engine()).url));
    expect(good.teacher).toMatchObject({ status: 'ok', seen: expect.stringContaining('scores given tokens') });
    const other = await consult(['teacher'], hybrid((await engine({ faults: ['tokenize_loses_a_token'] })).url));
    expect(other.teacher).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('otherwise than the policy'),
      remedy: expect.stringContaining("set opd.teacher to an engine with the policy's vocabulary"),
    });
    const hosted = await consult(['teacher'], hybrid((await engine({ dialect: 'openai' })).url));
    expect(hosted.teacher).toMatchObject({ status: 'failed', remedy: 'set opd.teacher to an engine that can' });
    const env = { ...hybrid(policy.url).env, OPENCLAW_RL_RL_ALGORITHM: 'binary' };
    const binary = await consult(['teacher'], { env });
    expect(binary.teacher).toMatchObject({ status: 'ok', seen: 'nobody asks for one: rl.algorithm is binary' });
  });
});

describe('the doctor on OpenClaw', () => {
  let home: string;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'doctor-home-'));
    mkdirSync(join(home, '.openclaw', 'agents', 'main', 'agent'), { recursive: true });
  });
  afterEach(() => {
    rmSync(home, { recursive: true });
  });

  const lookAt = async (provider: object, more: object = {}, env: Record<string, string> = {}) => {
    const config = { models: { providers: { 'openclaw-rl': provider } }, ...more };
    writeFileSync(join(home, '.openclaw', 'openclaw.json'), `// mine\n${JSON.stringify(config)}`);
    return consult(['openclaw', 'oauth'], { env: { HOME: home, ...env } });
  };
  const PROVIDER = { baseUrl: 'http://127.0.0.1:30000/v1', api: 'openai-completions', apiKey: 'sk-any' };

  it('finds nothing wrong with the block that npm start prints', async () => {
    const { openclaw, oauth } = await lookAt(PROVIDER);
    expect([openclaw?.status, oauth?.status]).toEqual(['ok', 'ok']);
  });

  it.each<[string, object, Record<string, string>, string]>([
    ['a base URL without /v1', { ...PROVIDER, baseUrl: 'http://127.0.0.1:30000' }, {}, 'does not end in /v1'],
    ['another API', { ...PROVIDER, api: 'anthropic-messages' }, {}, '.api is "anthropic-messages"'],
    ['a key that is none', PROVIDER, { OPENCLAW_RL_GATEWAY_API_KEYS: 'real-key' }, 'none of gateway.api_keys'],
  ])('tells %s', async (_, provider, env, seen) => {
    const found = await lookAt(provider, {}, env);
    expect(found.openclaw).toMatchObject({ status: 'failed', seen: expect.stringContaining(seen) });
    expect(JSON.stringify(found)).not.toMatch(/sk-any|real-key/);
  });

  it('warns where no provider points to the gateway', async () => {
    const { openclaw } = await lookAt({ ...PROVIDER, baseUrl: 'http://127.0.0.1:31111/v1' });
    expect(openclaw).toMatchObject({ status: 'warning', seen: expect.stringContaining('no provider') });
  });

  it('knows an address at which the gateway does not listen', async () => {
    const gateway = await opened.add(new OddServer(() => ({}))).start();
    const provider = { ...PROVIDER, baseUrl: `http://[::1]:${gateway.port}/v1` };
    const { openclaw } = await lookAt(provider, {}, { PORT: String(gateway.port) });
    expect(openclaw).toMatchObject({
      status: 'failed',
      remedy: expect.stringContaining(`something listens on 127.0.0.1:${gateway.port}`),
    });
  });

  it('tells logins that are left over', async () => {
    const profiles = { auth: { profiles: { 'openclaw-rl:me': { provider: 'openclaw-rl', mode: 'oauth' } } } };
    const byProfile = await lookAt(PROVIDER, profiles);
    expect(byProfile.oauth).toMatchObject({ status: 'failed', seen: expect.stringContaining('openclaw-rl:me') });
    const byProvider = await lookAt({ ...PROVIDER, auth: 'oauth' });
    expect(byProvider.oauth).toMatchObject({ status: 'failed', seen: expect.stringContaining('.auth is "oauth"') });
    writeFileSync(join(home, '.openclaw', 'agents', 'main', 'agent', 'auth-profiles.json'), '{}');
    const byFile = await lookAt(PROVIDER);
    expect(byFile.oauth).toMatchObject({ status: 'warning', remedy: expect.stringContaining('openclaw doctor --fix') });
  });

  it('says so of a configuration that cannot be read', async () => {
    writeFileSync(join(home, '.openclaw', 'openclaw.json'), '{ models: ');
    const { openclaw } = await consult(['openclaw'], { env: { HOME: home } });
    expect(openclaw).toMatchObject({ status: 'unchecked', seen: expect.stringContaining('could not be read') });
  });
});
