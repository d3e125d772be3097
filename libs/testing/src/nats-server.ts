import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { freePort } from './free-port';
import { killWithParent } from './kill-with-parent';

/** Thrown when nats-server is missing, or does not get ready. */
export class NatsServerError extends Error {
  override readonly name = 'NatsServerError';
}

export interface NatsServerOptions {
  /** Further lines of nats-server configuration, put behind ours. */
  config?: string;
  /** Folder of the JetStream store. Without it: inside a temporary folder that `stop()` removes. */
  storeDir?: string;
  /** TCP port. @default `freePort()`, kept over restarts */
  port?: number;
  /** Address that it listens on. @default loopback */
  host?: string;
  /** A command that runs the server, with its arguments: in a network of its own, say. @default none */
  runBy?: readonly string[];
}

export interface NatsServer {
  /** `nats://<host>:<port>`, the same before and after a restart. */
  readonly url: string;
  readonly port: number;
  readonly storeDir: string;
  /** Process id of the child, undefined while it is down. */
  readonly pid: number | undefined;
  /** SIGKILL: a crash. The store stays; `restart()` brings the server back. */
  kill(): Promise<void>;
  /** Starts again on the same port and store, after a clean end if it still runs. */
  restart(): Promise<void>;
  /** Clean end; temporary files are removed. May be called twice. */
  stop(): Promise<void>;
}

const READY_MS = 10_000;

function findBinary(): string {
  const configured = process.env.NATS_SERVER_BIN;
  if (configured) return configured;
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin', '/usr/local/bin'];
  const found = folders.map((folder) => join(folder, 'nats-server')).find((path) => existsSync(path));
  if (!found) {
    throw new NatsServerError(
      'nats-server was not found. Install it (apt-get install nats-server) or set NATS_SERVER_BIN.',
    );
  }
  return found;
}

interface Running {
  child: ChildProcess;
  exited: Promise<void>;
  port: number;
}

function launch(configPath: string, runBy: readonly string[]): Promise<Running> {
  const words = [...runBy, findBinary(), '-c', configPath];
  const child = spawn(words[0]!, words.slice(1), {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, GOMEMLIMIT: '192MiB' },
  });
  killWithParent(child);
  let log = '';
  return new Promise((resolve, reject) => {
    const fail = (why: string, cause?: unknown): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new NatsServerError(`nats-server ${why}. Its log: ${log.slice(-2_000)}`, { cause }));
    };
    const exited = new Promise<void>((done) =>
      child.once('exit', (code) => {
        fail(`ended with code ${String(code)} before it was ready`);
        done();
      }),
    );
    const timer = setTimeout(() => {
      fail(`was not ready within ${READY_MS} ms`);
    }, READY_MS);
    child.once('error', (error) => {
      fail('could not be started', error);
    });
    child.stderr.on('data', (data: Buffer) => {
      log = (log + data.toString()).slice(-10_000);
      const port = Number(/client connections on [^\s]*:(\d+)/.exec(log)?.[1]);
      if (port && log.includes('Server is ready')) {
        clearTimeout(timer);
        // A server that a failed test forgets must not keep its process from ending, which then takes the server along.
        child.unref();
        (child.stderr as Socket).unref();
        resolve({ child, exited, port });
      }
    });
  });
}

/** Starts a real nats-server with JetStream and `max_payload` 8 MB as a child process. */
export async function startNatsServer(options: NatsServerOptions = {}): Promise<NatsServer> {
  const { host = '127.0.0.1', runBy = [] } = options;
  const folder = mkdtempSync(join(tmpdir(), 'nats-'));
  const storeDir = options.storeDir ?? join(folder, 'store');
  const configPath = join(folder, 'nats.conf');
  const writeConfig = (port: number): void => {
    const lines = [
      `listen: "${host}:${port}"`,
      'max_payload: 8MB',
      `jetstream { store_dir: ${JSON.stringify(storeDir)} }`,
      options.config ?? '',
    ];
    writeFileSync(configPath, lines.join('\n'));
  };

  writeConfig(options.port ?? (await freePort()));
  let running: Running | undefined = await launch(configPath, runBy);
  const { port } = running;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const ending = running;
    running = undefined;
    ending?.child.ref();
    ending?.child.kill(signal);
    await ending?.exited;
  };

  return {
    url: `nats://${host}:${port}`,
    port,
    storeDir,
    get pid() {
      return running?.child.pid;
    },
    kill: () => end('SIGKILL'),
    restart: async () => {
      await end('SIGTERM');
      writeConfig(port);
      running = await launch(configPath, runBy);
    },
    stop: async () => {
      await end('SIGTERM');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
