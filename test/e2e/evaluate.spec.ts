import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEngineDouble, type EngineDouble } from '@app/testing';
import { startStack, type Stack } from '../support/start-stack';
import { TrainerClient } from '../support/trainer-client';

const ROOT = join(__dirname, '../..');

interface Ended {
  readonly code: number;
  readonly output: string;
}

describe('npm run evaluate', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'evaluate-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  const evaluate = (tasks: readonly unknown[], options: readonly string[], env: NodeJS.ProcessEnv = {}) => {
    const file = join(folder, 'tasks.jsonl');
    writeFileSync(file, tasks.map((task) => JSON.stringify(task)).join('\n'));
    writeFileSync(join(folder, 'empty.toml'), '');
    return new Promise<Ended>((resolve) => {
      const all = { ...process.env, OPENCLAW_RL_CONFIG: join(folder, 'empty.toml'), ...env };
      execFile(
        process.execPath,
        ['scripts/evaluate.mjs', file, ...options],
        { cwd: ROOT, env: all },
        (error, out, err) => {
          resolve({ code: error === null ? 0 : Number(error.code), output: out + err });
        },
      );
    });
  };

  it.each([
    [{ prompt: 'a', check: { is: 'b' } }, 'check.is is not one of equals, contains, matches'],
    [{ prompt: 'a' }, 'check is missing'],
    [{ check: { equals: 'a' } }, 'either prompt, a text, or messages'],
    [{ prompt: 'a', check: { matches: '(' } }, 'Invalid regular expression'],
  ])('refuses the task %j', async (task, complaint) => {
    const { code, output } = await evaluate([task], []);
    expect([code, output]).toEqual([1, expect.stringContaining(complaint)]);
  });

  it('says by policy version how many answers pass, and makes no sample of them', async () => {
    const engine: EngineDouble = await startEngineDouble({});
    const stack: Stack = await startStack({
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    });
    try {
      const rounds = [0, 1, 2, 3];
      engine.script(...rounds.map((round) => ({ when: 'how many legs', content: round === 0 ? 'six' : 'eight' })));
      engine.script(...rounds.map(() => ({ when: 'say nothing but', content: 'yes' })));
      const tasks = [
        { name: 'legs', prompt: 'how many legs has a spider?', check: { contains: 'eight', not_matches: 'six|seven' } },
        { messages: [{ role: 'user', content: 'say nothing but yes' }], name: 'yes', check: { equals: 'yes' } },
      ];
      const env = {
        PORT: new URL(stack.gateway).port,
        OPENCLAW_RL_DOOR_PORT: new URL(stack.door).port,
      };
      const { code, output } = await evaluate(tasks, ['--runs', '4', '--temperature', '0.5'], env);
      expect(output).toContain('Policy version 0: 0.88 (7 of 8)');
      expect(output).toMatch(/^ {2}legs +0\.75 \(3 of 4\)\n {2}yes +1\.00 \(4 of 4\)$/m);
      expect(code).toBe(0);
      const asked = engine.chats('policy').filter(({ body }) => JSON.stringify(body).includes('spider'));
      expect(asked.map(({ body }) => body.temperature)).toEqual([0.5, 0.5, 0.5, 0.5]);
      const door = new TrainerClient(stack.door);
      await door.until('side_turn');
      expect((await door.stats()).outcomes).not.toHaveProperty('sample');
    } finally {
      await stack.stop();
      await engine.close();
    }
  }, 180_000);
});
