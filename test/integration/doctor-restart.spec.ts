import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, startEngineDouble, type EngineDouble } from '@app/testing';
import type { RunningStack } from '../../apps/doctor/src/running-stack';
import { consult, type Sight } from '../support/doctor';
import { Opened } from '../support/opened';

describe('the doctor on settings that a running stack does not have', () => {
  const opened = new Opened();
  let folder: string;
  let engine: EngineDouble;
  let other: string;
  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    mkdirSync(join(folder, 'state'));
    engine = opened.add(await startEngineDouble());
    other = `http://127.0.0.1:${await freePort()}`;
  });
  afterEach(async () => {
    await opened.close();
    rmSync(folder, { recursive: true });
  });

  /** As npm start notes it; this test's process stands in for its own. */
  const note = (more: Partial<RunningStack>): void => {
    const nowhere = 'http://127.0.0.1:1';
    const stack = { gateway: nowhere, door: nowhere, settings: {}, environment: {}, configured: {}, ...more };
    writeFileSync(join(folder, 'state', 'running.json'), JSON.stringify({ pid: process.pid, ...stack }));
  };
  const look = (sight: Sight) =>
    consult(['restart', 'policy', 'judge'], { ...sight, options: { stateDir: join(folder, 'state') } });
  const pocket = () => ({
    OPENCLAW_RL_SERVER_BASE_URL: engine.url,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'pocket',
    OPENCLAW_RL_SERVER_JUDGE_MODEL: 'pocket-judge',
  });

  it('asks what is configured now, and says what the stack has, and what to do', async () => {
    note({ settings: pocket() });
    const file = `[server]\nbase_url = "${other}"\npolicy_model = "m"\n`;
    const found = await look({ file });
    expect(found.restart).toMatchObject({
      status: 'warning',
      seen: expect.stringContaining(
        `server.base_url is "${other}" by openclaw-rl.toml, and the running stack has none`,
      ),
      remedy: expect.stringContaining('stop npm start and start it again'),
    });
    for (const id of ['policy', 'judge']) {
      expect(found[id]).toMatchObject({ status: 'failed', seen: expect.stringContaining(new URL(other).host) });
    }
    const env = { OPENCLAW_RL_SERVER_BASE_URL: other, OPENCLAW_RL_SERVER_POLICY_MODEL: 'm' };
    const byVariable = await look({ env });
    expect(byVariable.restart?.seen).toContain(`"${other}" by OPENCLAW_RL_SERVER_BASE_URL`);
    expect(byVariable.policy?.status).toBe('failed');
  });

  it('says of another judge, of another NATS server and of a number that the stack has not taken them in', async () => {
    note({
      settings: { ...pocket(), OPENCLAW_RL_NATS_URL: 'nats://127.0.0.1:1' },
      configured: { 'judge.votes': { value: 3, from: 'openclaw-rl.toml' } },
    });
    const judge = `[server]\njudge_base_url = "${other}"\njudge_model = "j"\n`;
    const found = await look({ file: `${judge}[nats]\nurl = "nats://127.0.0.1:2"\n[judge]\nvotes = 5\n` });
    expect(found.restart?.seen.split('\n')).toEqual([
      expect.stringContaining('server.judge_model is "j"'),
      expect.stringContaining('server.judge_base_url'),
      expect.stringContaining('nats.url is "nats://127.0.0.1:2"'),
      'judge.votes is 5 by openclaw-rl.toml, and the running stack has 3',
    ]);
    expect([found.policy?.status, found.judge?.status]).toEqual(['ok', 'failed']);
  });

  it('sees a line that has been taken out of the file', async () => {
    note({ configured: { 'judge.votes': { value: 5, from: 'openclaw-rl.toml' } } });
    expect((await look({ file: '' })).restart).toMatchObject({
      status: 'warning',
      seen: 'judge.votes is 3, and the running stack has 5',
    });
  });

  it('finds a stack as it is that was started in another shell, with the file that it has read', async () => {
    const path = join(folder, 'my.toml');
    const { OPENCLAW_RL_SERVER_BASE_URL: url, OPENCLAW_RL_SERVER_POLICY_MODEL: model } = pocket();
    const environment = { OPENCLAW_RL_SERVER_BASE_URL: url, OPENCLAW_RL_SERVER_POLICY_MODEL: model };
    note({
      environment: { ...environment, OPENCLAW_RL_CONFIG: path },
      configured: {
        'server.base_url': { value: url, from: 'OPENCLAW_RL_SERVER_BASE_URL' },
        'server.policy_model': { value: model, from: 'OPENCLAW_RL_SERVER_POLICY_MODEL' },
        'judge.votes': { value: 5, from: path },
      },
    });
    const found = await look({ file: '[judge]\nvotes = 5\n' });
    expect(found.restart).toMatchObject({ status: 'ok' });
    expect(found.policy).toMatchObject({ status: 'ok', seen: `${url} answers` });
  });

  it('compares nothing where no stack runs', async () => {
    const { restart, policy } = await look({ file: '' });
    expect([restart?.status, policy?.status]).toEqual(['unchecked', 'unchecked']);
  });
});
