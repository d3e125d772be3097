import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { startEngineDouble, until, type EngineDouble } from '@app/testing';
import { startStack, STACK_UP_MS, type Stack } from '../support/start-stack';

const ROOT = join(__dirname, '../..');
const TEST_MS = STACK_UP_MS + 60_000;

interface Ended {
  readonly code: number;
  readonly output: string;
}

describe('npm run bus', () => {
  let engine: EngineDouble;
  let stack: Stack;
  beforeEach(async () => {
    engine = await startEngineDouble();
    stack = await startStack({
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    });
  }, TEST_MS);
  afterEach(async () => {
    await stack.stop();
    await engine.close();
  });

  const bus = (...args: readonly string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const env = {
        ...process.env,
        OPENCLAW_RL_CONFIG: join(stack.folder, 'empty.toml'),
        OPENCLAW_RL_NATS_STORE_GB: '1',
      };
      const all = ['scripts/bus.mjs', ...args, '--state', join(stack.folder, 'state')];
      execFile(process.execPath, all, { cwd: ROOT, env }, (error, out, errors) => {
        resolve({ code: error === null ? 0 : Number(error.code), output: out + errors });
      });
    });
  const chat = async (): Promise<void> => {
    const response = await fetch(`${stack.gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] }),
    });
    expect(response.status).toBe(200);
  };
  const turnsIn = async (): Promise<number> => {
    const { output } = await bus('inspect');
    return Number(/(\d+) of rl\.turn\.completed\.v1/.exec(output)?.[1]);
  };

  it(
    'works on a stack that runs, and on the store of one that has been stopped',
    async () => {
      const folder = join(stack.folder, 'backup');
      await chat();
      await until(async () => (await turnsIn()) === 1, { what: 'the turn is stored', timeoutMs: 30_000 });
      expect(await bus('backup', '--to', folder)).toMatchObject({
        code: 0,
        output: expect.stringContaining('is whole'),
      });
      await chat();
      const refused = await bus('restore', '--from', folder, '--replace');
      expect([refused.code, refused.output]).toEqual([1, expect.stringContaining('stop')]);
      await until(async () => (await turnsIn()) === 2, { what: 'both turns are stored', timeoutMs: 30_000 });

      stack.child.kill('SIGTERM');
      await once(stack.child, 'close');
      expect(await turnsIn()).toBe(2);
      const deletion = await bus('delete', '--address', '127.0.0.1');
      expect([deletion.code, deletion.output]).toEqual([1, expect.stringContaining('sample-submitter')]);
      expect(await bus('restore', '--from', folder)).toMatchObject({ code: 1 });
      expect(await bus('restore', '--from', folder, '--replace')).toMatchObject({ code: 0 });
      expect(await turnsIn()).toBe(1);
    },
    TEST_MS,
  );

  it('says what it can do, and what a wrong command should have been', async () => {
    expect(await bus('--help')).toMatchObject({ code: 0, output: expect.stringContaining('npm run bus -- inspect') });
    const { code, output } = await bus('bakcup');
    expect([code, output]).toEqual([1, expect.stringContaining('allowed: inspect, backup, restore, delete')]);
  });
});
