import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { root, startProcess, usageOf } from './processes.mjs';

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const READY = /ready on (\S+)/;

export const startStub = async (options) => {
  const stub = await startProcess(process.execPath, [join(root, 'bench/stub.mjs'), JSON.stringify(options)], {
    ready: /listening on (\d+)/,
  });
  return { ...stub, value: `http://127.0.0.1:${stub.value}` };
};

/** A server with a store that is removed in the end. `more`: further lines of its configuration. */
export const startNats = async (more = '') => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const config = join(folder, 'nats.conf');
  const lines = [
    'host: 127.0.0.1',
    'port: -1',
    'http: "127.0.0.1:-1"',
    'max_payload: 8MB',
    `jetstream { store_dir: "${folder}/store", max_file_store: 12GB }`,
    more,
  ];
  writeFileSync(config, lines.join('\n'));
  const server = await startProcess(process.env.NATS_SERVER_BIN ?? 'nats-server', ['-c', config], {
    env: { GOMEMLIMIT: '768MiB' },
    ready: /http monitor on 127\.0\.0\.1:(\d+)[\s\S]*client connections on 127\.0\.0\.1:(\d+)/,
  });
  const [monitor, port] = server.values;
  return { ...server, value: `nats://127.0.0.1:${port}`, monitor: `http://127.0.0.1:${monitor}` };
};

const freePort = async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
};

/** Three servers that keep copies for each other. */
export const startCluster = async () => {
  const ports = await Promise.all([1, 2, 3].map(freePort));
  const routes = ports.map((port) => `"nats://127.0.0.1:${port}"`).join(', ');
  const servers = await Promise.all(
    ports.map((port) =>
      startNats(`server_name: n${port}\ncluster { name: bench, listen: "127.0.0.1:${port}", routes: [${routes}] }`),
    ),
  );
  for (const { monitor } of servers) {
    while (!(await fetch(`${monitor}/healthz`)).ok) await pause(100);
  }
  return { value: servers.map(({ value }) => value).join(',') };
};

const settingsFor = ({ stub, nats }) => ({
  OPENCLAW_RL_CONFIG: '/dev/null',
  NATS_URL: nats.value,
  OPENCLAW_RL_NATS_STORE_GB: '10',
  OPENCLAW_RL_SERVER_BASE_URL: stub.value,
  OPENCLAW_RL_SERVER_POLICY_MODEL: 'policy',
  OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
  OPENCLAW_RL_GATEWAY_CAPTURE_BUFFER_MB: '1024',
  OPENCLAW_RL_SLIME_QUEUE_SIZE: '1000000',
  OPENCLAW_RL_LOGS_LEVEL: 'error',
});

export const startService = async (app, parts, extra = {}) => {
  const service = await startProcess(process.execPath, [join(root, `dist/apps/${app}/src/main.js`)], {
    env: { ...settingsFor(parts), PORT: '0', OPENCLAW_RL_DOOR_PORT: '0', ...extra },
    ready: READY,
  });
  return { ...service, usage: () => usageOf(service.pid) };
};

export const startPassthrough = async ({ stub }) => {
  const proxy = await startProcess(
    process.execPath,
    [join(root, 'bench/passthrough.mjs'), JSON.stringify({ url: stub.value })],
    { ready: READY },
  );
  return { ...proxy, usage: () => usageOf(proxy.pid) };
};

export const startGateway = (parts, env) => startService('gateway', parts, env);

export const withManager = async (nats, work) => {
  const nc = await connect({ servers: nats.value });
  try {
    return await work(await jetstreamManager(nc), nc);
  } finally {
    await nc.close();
  }
};

const lastSequence = (nats, stream) =>
  withManager(nats, async (jsm) => (await jsm.streams.info(stream)).state.last_seq);

/** What the bus holds: the measure that work was really done. */
export const bus = {
  stored: (nats, stream = 'RL_TURNS') => lastSequence(nats, stream),

  /** Waits until a stream has reached `owed`. */
  async reach(nats, owed, stream) {
    while ((await lastSequence(nats, stream)) < owed) await pause(100);
  },

  /** Waits until a stream has reached `owed`, or has stopped growing; returns where it stands. */
  async settle(nats, owed, stream = 'RL_TURNS') {
    for (let last = -1; ;) {
      const now = await lastSequence(nats, stream);
      if (now >= owed || now === last) return now;
      last = now;
      await pause(2000);
    }
  },

  /** Waits until a stream has stopped growing. */
  steady: (nats, stream) => bus.settle(nats, Infinity, stream),
};
