import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { until } from '@app/testing';

const ROOT = join(__dirname, '../..');

/** What `npm run try:openclaw -- --plugin` is while it waits for the client: children, a proxy, and a request that does not come. */
const WAITING = `
  import { withQuietSupervisor } from './scripts/lib/quiet-stack.mjs';
  import { runScript } from './scripts/lib/problem.mjs';
  import { nodeSpec } from './scripts/lib/services.mjs';
  import { Tap } from './scripts/openclaw/tap.mjs';
  const CHILD = "console.log('ready on http://' + process.pid); setInterval(() => undefined, 1000);";
  await runScript(() => withQuietSupervisor('stops', async ({ supervisor, signal }) => {
    const [child] = await supervisor.start([nodeSpec('child', ['--eval', CHILD], process.env)]);
    const tap = await Tap.start('http://127.0.0.1:9', signal);
    console.log('child ' + child.details.slice(7) + ' tap ' + tap.url);
    await tap.until('a request', () => false);
  }));
`;

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    (error: unknown) => (error as { cause?: { code?: string } }).cause?.code !== 'ECONNREFUSED',
  );

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

test.each(['SIGTERM', 'SIGINT'] as const)(
  'a trial of OpenClaw ends by %s with all that it has started',
  async (signal) => {
    const script = spawn(process.execPath, ['--input-type=module', '--eval', WAITING], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [script.stdout, script.stderr])
      stream.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(script, 'close');
    const line = /child (\d+) tap (\S+)\n/;
    await until(() => line.test(output), { what: 'the trial waits', timeoutMs: 20_000 });
    const [, child = '', url = ''] = line.exec(output) ?? [];
    expect(isAlive(Number(child))).toBe(true);
    script.kill(signal);
    expect((await ended)[0]).toBe(1);
    expect(isAlive(Number(child))).toBe(false);
    expect(output).toContain(`Stopped by ${signal}.`);
    expect(await answers(url)).toBe(false);
  },
);
