import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@app/testing';

const ROOT = join(__dirname, '../..');
const UP = 'Ctrl-C stops everything';
/** The longest that a start may take, with the build before it, on a machine that has other things to do. */
export const STACK_UP_MS = 240_000;

/** The whole stack as `npm start` runs it: real processes, a nats-server and a store of its own. */
export interface Stack {
  readonly gateway: string;
  readonly door: string;
  readonly folder: string;
  readonly child: ChildProcess;
  output(): string;
  stop(): Promise<void>;
}

/** Starts it with settings from the environment alone, ports that are free, and an empty configuration file. */
export const startStack = async (env: Record<string, string>, args: readonly string[] = []): Promise<Stack> => {
  const folder = mkdtempSync(join(tmpdir(), 'stack-'));
  writeFileSync(join(folder, 'empty.toml'), '');
  const [port, doorPort] = [await freePort(), await freePort()];
  const inherited = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|TMPDIR|LANG|NATS_SERVER_BIN)$/.test(name),
  );
  const child = spawn(process.execPath, ['scripts/start.mjs', '--state', join(folder, 'state'), ...args], {
    cwd: ROOT,
    env: {
      ...Object.fromEntries(inherited),
      OPENCLAW_RL_CONFIG: join(folder, 'empty.toml'),
      PORT: String(port),
      OPENCLAW_RL_DOOR_PORT: String(doorPort),
      OPENCLAW_RL_NATS_STORE_GB: '1',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'close');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  const isDecided = (): boolean => output.includes(UP) || child.exitCode !== null;
  await until(isDecided, { what: 'the stack', timeoutMs: STACK_UP_MS, everyMs: 50 }).catch(() => undefined);
  if (!output.includes(UP)) {
    await stop();
    throw new Error(`the stack did not come up:\n${output}`);
  }
  return {
    gateway: `http://127.0.0.1:${port}`,
    door: `http://127.0.0.1:${doorPort}`,
    folder,
    child,
    output: () => output,
    stop,
  };
};
