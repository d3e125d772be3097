import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@app/testing';

const root = join(__dirname, '../..');

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

describe('npm run trainer', () => {
  it.each(['SIGTERM', 'SIGHUP'] as const)(
    'takes the trainer along when it ends by %s',
    async (signal) => {
      const folder = mkdtempSync(join(tmpdir(), 'trainer-'));
      writeFileSync(join(folder, 'empty.toml'), '');
      const port = await freePort();
      const env = {
        ...process.env,
        OPENCLAW_RL_CONFIG: join(folder, 'empty.toml'),
        OPENCLAW_RL_METRICS_HOST: '127.0.0.2',
        OPENCLAW_RL_METRICS_PORT: String(port),
        OPENCLAW_RL_TRAINER_DIR: join(folder, 'batches'),
        OPENCLAW_RL_LOGS_LEVEL: 'debug',
        OPENCLAW_RL_LOGS_FORMAT: 'json',
      };
      const child = spawn(process.execPath, ['scripts/trainer.mjs'], {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'ignore'],
      });
      let output = '';
      child.stdout.on('data', (data: Buffer) => (output += data.toString()));
      try {
        const metrics = `http://127.0.0.2:${port}/metrics`;
        await until(() => answers(metrics), { what: 'the trainer is up', timeoutMs: 60_000 });
        await until(() => output.includes('{"level":"debug"'), { what: 'a line for programs, of the least level' });
        child.kill(signal);
        await once(child, 'exit');
        expect(await answers(metrics)).toBe(false);
      } finally {
        child.kill('SIGKILL');
        rmSync(folder, { recursive: true, force: true });
      }
    },
    90_000,
  );
});
