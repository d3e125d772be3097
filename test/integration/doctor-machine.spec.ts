import 'reflect-metadata';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEngineDouble } from '@app/testing';
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
    expect(found.settings?.remedy).toContain('in openclaw-rl.toml or in the environment');
    expect(found.pools).toMatchObject({ status: 'unchecked', seen: 'not checked: settings has failed' });
    const byVariable = await consult(['settings'], { env: { OPENCLAW_RL_JUDGE_VOTE: '3' } });
    expect(byVariable.settings?.seen).toContain('did you mean OPENCLAW_RL_JUDGE_VOTES?');
    const elsewhere = { OPENCLAW_RL_JUDGE_VOTE: '3', OPENCLAW_RL_CONFIG: 'other.toml' };
    const other = await consult(['settings'], { env: elsewhere });
    expect(other.settings?.remedy).toContain('in other.toml or in the environment');
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

  it('tells a settings file that is named and not there, and one that is no TOML', async () => {
    const env = { OPENCLAW_RL_CONFIG: '/nowhere/openclaw-rl.toml' };
    expect((await consult(['settings'], { env })).settings).toMatchObject({
      status: 'failed',
      seen: expect.stringContaining('/nowhere/openclaw-rl.toml'),
    });
    const broken = await consult(['settings'], { file: '[judge\nvotes = 3\n' });
    expect(broken.settings).toMatchObject({ status: 'failed', seen: expect.stringContaining('openclaw-rl.toml') });
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
    const lookWith = async (said: string, code: number, env: Record<string, string> = {}, isContainer = false) => {
      const file = join(folder, 'nvidia-smi');
      writeFileSync(file, `#!/bin/sh\necho "${said}"\nexit ${code}\n`);
      chmodSync(file, 0o755);
      return (await consult(['pools'], { env: { PATH: folder, ...env }, isContainer })).pools;
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
        seen: expect.stringMatching(/^no NVIDIA GPU on this machine .*; where the engines run: trainer 0-3/),
      });
    });

    it('asks for none in a container that was given none, whatever is planned', async () => {
      const planned = { ...external, NUM_GPUS: '8' };
      expect(await lookWith('No devices were found', 6, planned, true)).toMatchObject({
        status: 'ok',
        seen: expect.stringContaining('no NVIDIA GPU in this container'),
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

  it('tells a host to listen on that has no address', async () => {
    const env = {
      HOST: 'no-such-host.invalid',
      OPENCLAW_RL_GATEWAY_ALLOW_UNAUTHENTICATED: 'true',
      PORT: String(await freePort()),
      OPENCLAW_RL_DOOR_PORT: '0',
    };
    expect((await consult(['ports'], { env })).ports).toMatchObject({
      status: 'failed',
      seen: 'no-such-host.invalid is no address of this machine',
      remedy: expect.stringContaining('set gateway.host to 127.0.0.1'),
    });
  });

  it('tells a store that is larger than the disk', async () => {
    const { disk } = await consult(['disk'], { env: { OPENCLAW_RL_NATS_STORE_GB: '10000' } });
    expect(disk).toMatchObject({ status: 'warning', remedy: 'make room, or lower nats.store_gb' });
    const small = await consult(['disk'], { env: { OPENCLAW_RL_NATS_STORE_GB: '0.1' } });
    expect(small.disk?.status).toBe('ok');
  });

  it('tells a server whose clock is another', async () => {
    const late = (): string => new Date(Date.now() - 3_600_000).toUTCString();
    const server = await opened.add(new OddServer(() => ({ headers: { date: late() } }))).start();
    const env = { OPENCLAW_RL_SERVER_BASE_URL: server.url, OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
    const { clock } = await consult(['clock'], { env });
    expect(clock?.status).toBe('failed');
    expect(clock?.seen).toMatch(new RegExp(`^127.0.0.1:${server.port} is 3(599|600|601) s behind this machine$`));
  });
});
