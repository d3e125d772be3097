import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@app/testing';
import { OpenClawClient } from '../support/openclaw-client';
import { startStack, STACK_UP_MS, type Stack } from '../support/start-stack';
import { TrainerClient } from '../support/trainer-client';

const ROOT = join(__dirname, '../..');
const SETTINGS = { OPENCLAW_RL_RL_ROLLOUT_STEPS: '2', OPENCLAW_RL_RL_ALGORITHM: 'hybrid' };
const WAIT_MS = 60_000;
const execute = promisify(execFile);

/** A restore that is older than the last weight update, and the remedy of docs/operations.md. */
describe('weights that are newer than what was restored', () => {
  jest.setTimeout(2 * STACK_UP_MS + 3 * WAIT_MS);
  let first: Stack;
  let second: Stack | null = null;
  let sessions = 0;

  beforeEach(async () => {
    first = await startStack(SETTINGS);
  });
  afterEach(async () => {
    await second?.stop();
    await first.stop();
  });

  const state = (): string => join(first.folder, 'state');
  const bus = async (...args: readonly string[]): Promise<string> => {
    const env = {
      ...process.env,
      OPENCLAW_RL_CONFIG: join(first.folder, 'empty.toml'),
      OPENCLAW_RL_NATS_STORE_GB: '1',
    };
    const all = ['scripts/bus.mjs', ...args, '--state', state()];
    return (await execute(process.execPath, all, { cwd: ROOT, env })).stdout;
  };
  /** Two answers that are judged: the one is corrected, the other praised. */
  const converse = async ({ gateway }: Stack): Promise<void> => {
    const client = new OpenClawClient(gateway, `homework-${(sessions += 1)}`, { tools: false });
    await client.say('Mia has 7 apples and finds 4 more. How many apples are there now?');
    await client.say('This sounds like an AI. Please write like a student.');
    await client.say('Thanks, that is perfect!');
  };
  const serves = (door: TrainerClient, version: number) =>
    until(async () => (await door.policy()).policy_version === version, {
      what: `version ${version}`,
      timeoutMs: WAIT_MS,
    });
  const learn = async (stack: Stack, version: number): Promise<void> => {
    await converse(stack);
    await serves(new TrainerClient(stack.door), version);
  };

  it('become the next version by the commit of their folder, and training goes on from them', async () => {
    await learn(first, 1);
    const backup = join(first.folder, 'backup');
    expect(await bus('backup', '--to', backup)).toContain('is whole');
    await learn(first, 2);
    first.child.kill('SIGTERM');
    await once(first.child, 'close');
    expect(await bus('restore', '--from', backup, '--replace')).toContain('is in place');

    second = await startStack(SETTINGS, ['--state', state()]);
    const door = new TrainerClient(second.door);
    expect((await door.policy()).policy_version).toBe(1);
    const { gateway } = second;
    const readiness = async (): Promise<object> => (await (await fetch(`${gateway}/readyz`)).json()) as object;
    await until(async () => JSON.stringify(await readiness()).includes('"stale"'), { what: 'it is told' });
    await converse(second);
    await until(async () => (await door.stats()).outcomes.incomplete === 3, {
      what: 'nothing of it is trained on',
      timeoutMs: WAIT_MS,
    });

    const { path } = JSON.parse(readFileSync(join(state(), 'pocket-engine.json'), 'utf8')) as { path: string };
    expect(path).toContain('update-000002');
    const { token } = await door.post<{ token: string }>('/v1/policy/updates', {});
    const committed = await fetch(`${second.door}/v1/policy/updates/${token}/commit`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ weights_path: path }),
    });
    expect(committed.status).toBe(200);
    expect(await door.policy()).toMatchObject({ policy_version: 2, weights_path: path });
    await until(async () => JSON.stringify(await readiness()).startsWith('{"status":"ok"'), { what: 'all is well' });
    await learn(second, 3);
    expect((await door.policy()).weights_path).toContain('update-000003');
    const told = second;
    const round = await until(
      () => /a round of training is done: .*log_prob_difference ([^,\s]+)/.exec(told.output()),
      {
        what: 'the round is told',
      },
    );
    // Training has begun with the weights that have answered.
    expect(Number(round[1])).toBeLessThan(1e-4);
  });
});
