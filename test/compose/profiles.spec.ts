import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until } from '@app/testing';
import { Door } from './door';
import { praise } from './people';
import { Project } from './project';

jest.setTimeout(600_000);

const open = Project.open();
const door = new Door(open.door);
const deploy = join(open.copy, 'deploy');

/** `docker compose config`, as far as tests look at it. */
interface Config {
  readonly services: Readonly<
    Record<
      string,
      {
        readonly command?: readonly string[];
        readonly environment?: Readonly<Record<string, string>>;
        readonly deploy: {
          readonly resources: {
            readonly limits: { readonly memory: string };
            readonly reservations?: { readonly devices: readonly { readonly device_ids: readonly string[] }[] };
          };
        };
      }
    >
  >;
}

const configOf = async (project: Project): Promise<Config> =>
  JSON.parse(await project.compose('config', '--format', 'json')) as Config;

const healthOf = async (project: Project): Promise<string[]> =>
  (await project.containers()).map(({ Name }) => Name.replace(/^\/openclaw-rl-test-|-1$/g, '')).sort();

const SERVING = [
  'gateway',
  'grafana',
  'nats',
  'opd-teacher',
  'prm-judge',
  'prometheus',
  'sample-submitter',
  'session-tracker',
];

describe('profiles external and file', () => {
  const project = open.with([], { COMPOSE_PROFILES: 'external,file' });
  const THEIRS = 'openclaw-rl-test-elsewhere';

  afterAll(async () => {
    await project.docker('rm', '--force', THEIRS);
    await project.compose('down', '--volumes');
    rmSync(join(deploy, 'settings.env'));
    rmSync(join(deploy, 'secrets'), { recursive: true });
  });

  it('serve, judge and write batches with a server elsewhere, by the variables of .env.example', async () => {
    const settings = {
      OPENCLAW_RL_SERVER_BASE_URL: `http://api.example.com:8000/v1`,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'their-model',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: '',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'their-judge',
      OPENCLAW_RL_RL_ALGORITHM: 'binary',
      OPENCLAW_RL_RL_ROLLOUT_STEPS: '2',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(join(deploy, 'settings.env'), lines.join(''));
    mkdirSync(join(deploy, 'secrets'));
    for (const app of ['gateway', 'prm-judge', 'opd-teacher']) {
      const key = 'OPENCLAW_RL_SERVER_API_KEY_ENV=POLICY_API_KEY\nPOLICY_API_KEY=theirs\n';
      writeFileSync(join(deploy, `secrets/${app}.env`), key);
    }
    await project.compose('up', '--no-start');
    // The server is on the network that leads outside, and on no other.
    const variables = {
      OPENCLAW_RL_POCKET_HOST: '0.0.0.0',
      OPENCLAW_RL_POCKET_PORT: '8000',
      OPENCLAW_RL_POCKET_JUDGE_MODEL: 'their-judge',
      OPENCLAW_RL_POCKET_SERVED_FILE: '/tmp/served.json',
      OPENCLAW_RL_SERVER_BASE_URL: 'http://127.0.0.1:8000',
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'their-model',
    };
    const env = Object.entries(variables).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const network = ['--network', 'openclaw-rl-test_egress', '--network-alias', 'api.example.com'];
    await project.docker('run', '--detach', '--name', THEIRS, ...network, ...env, 'openclaw-rl/pocket-engine:0.1.0');
    await project.compose('up', '-d');
    await project.whenHealthy();
    expect(await healthOf(project)).toEqual([...SERVING, 'file-trainer'].sort());

    for (const name of ['one', 'two']) await praise(project.gateway, name);
    await door.whenSamplesAre(2);
    const list = "require('fs').readdirSync('/var/lib/openclaw-rl/batches', { recursive: true }).join('\\n')";
    const written = await until(
      async () => {
        const files = await project.node('file-trainer', `console.log(${list})`).catch(() => '');
        return files.trim() === '' ? null : files;
      },
      { what: 'a batch in the volume', timeoutMs: 60_000, everyMs: 500 },
    );
    expect(written).toMatch(/\.parquet$/m);
  });
});

describe('profile gpu', () => {
  const models = mkdtempSync(join(tmpdir(), 'models-'));
  const env = { COMPOSE_PROFILES: 'gpu', MODELS_DIR: models, PRM_MODEL_PATH: '/models/policy' };
  const project = open.with([], env);
  const standIn = open.with(['deploy/docker-compose.yml', join(__dirname, 'gpu/compose.yml')], env);

  afterAll(async () => {
    await standIn.compose('down', '--volumes');
    rmSync(models, { recursive: true });
  });

  it('comes out of Compose with the published flags, GPUs apart, and a bound on memory', async () => {
    const { services } = await configOf(project);
    expect(services['policy-engine']?.command).toEqual([
      'python3',
      '-m',
      'sglang.launch_server',
      '--host=0.0.0.0',
      '--port=8000',
      '--model-path=/models/policy',
      '--served-model-name=policy',
      '--tp-size=2',
      '--tool-call-parser=qwen25',
      '--reasoning-parser=qwen3',
      '--context-length=32768',
      '--mem-fraction-static=0.85',
      '--return-input-ids',
      '--return-output-ids',
    ]);
    expect(services['policy-engine']?.environment).toMatchObject({ SGLANG_RETURN_ORIGINAL_LOGPROB: '1' });
    const onGpus = ['slime-trainer', 'policy-engine', 'prm-engine'].map((name) => services[name]?.deploy.resources);
    expect(onGpus.map((each) => each?.reservations?.devices.flatMap(({ device_ids }) => device_ids))).toEqual([
      ['0', '1', '2', '3'],
      ['4', '5'],
      ['6', '7'],
    ]);
    for (const each of onGpus) expect(Number(each?.limits.memory)).toBeGreaterThan(2 ** 36);
  });

  it('serves, judges and lets slime in, with engines of the pocket model in the place of SGLang', async () => {
    mkdirSync(join(models, 'policy'));
    await project.docker('build', '--tag', 'openclaw-rl-test/gpu:1', join(__dirname, 'gpu'));
    await standIn.compose('up', '-d');
    await standIn.whenHealthy();
    expect(await healthOf(standIn)).toEqual([...SERVING, 'policy-engine', 'prm-engine', 'slime-trainer'].sort());
    await praise(standIn.gateway, 'on-gpus');
    await door.whenSamplesAre(1);
    const said = await standIn.compose('logs', 'slime-trainer');
    expect(said).toContain('--rollout-external-engine-addrs policy-engine:8000');
    expect(said).toContain('--openclaw-rl-method hybrid');
  });
});
