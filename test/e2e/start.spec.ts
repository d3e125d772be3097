import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { STREAMS } from '@app/contracts';
import { freePort, until } from '@app/testing';
import { STACK_UP_MS } from '../support/start-stack';

const root = join(__dirname, '../..');
const UP = 'Ctrl-C stops everything';

let folder: string;
const started: Started[] = [];

interface Started {
  readonly child: ChildProcess;
  readonly output: () => string;
  readonly ended: Promise<number | null>;
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  writeFileSync(join(folder, 'empty.toml'), '');
});

afterEach(async () => {
  for (const { child, ended } of started.splice(0)) {
    child.kill('SIGTERM');
    await ended;
  }
  rmSync(folder, { recursive: true, force: true });
});

/** Runs scripts/start.mjs with a store of its own, and no settings but those of `env`. */
function start(env: NodeJS.ProcessEnv = {}, args: readonly string[] = []): Started {
  const inherited = Object.entries(process.env).filter(([name]) =>
    /^(PATH|HOME|TMPDIR|LANG|NATS_SERVER_BIN)$/.test(name),
  );
  const child = spawn(process.execPath, ['scripts/start.mjs', '--state', join(folder, 'state'), ...args], {
    cwd: root,
    env: { ...Object.fromEntries(inherited), OPENCLAW_RL_CONFIG: join(folder, 'empty.toml'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data: Buffer) => (output += data.toString()));
  const ended = once(child, 'close').then(([code]) => code as number | null);
  const result = { child, output: () => output, ended };
  started.push(result);
  return result;
}

async function startUp(env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<Started> {
  const stack = start(env, args);
  const isUp = (): boolean => stack.output().includes(UP) || stack.child.exitCode !== null;
  await until(isUp, { what: 'the stack is up', timeoutMs: STACK_UP_MS, everyMs: 50 });
  expect(stack.output()).toContain(UP);
  return stack;
}

async function freeDoors(): Promise<{ PORT: string; OPENCLAW_RL_DOOR_PORT: string }> {
  return { PORT: String(await freePort()), OPENCLAW_RL_DOOR_PORT: String(await freePort()) };
}

/** Processes below a process, by id. */
function below(pid: number): Map<number, string> {
  const lines = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n');
  const all = lines.flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line);
    return match === null ? [] : [{ pid: Number(match[1]), parent: Number(match[2]), args: match[3] ?? '' }];
  });
  const found = new Map<number, string>();
  const collect = (parent: number): void => {
    for (const child of all.filter((candidate) => candidate.parent === parent && !candidate.args.startsWith('ps '))) {
      found.set(child.pid, child.args);
      collect(child.pid);
    }
  };
  collect(pid);
  return found;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

async function listenSomewhere(): Promise<{ server: Server; port: number }> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { server, port: typeof address === 'object' && address !== null ? address.port : 0 };
}

describe('what is refused before anything starts', () => {
  async function refusal(env: NodeJS.ProcessEnv, args: readonly string[] = []): Promise<string> {
    const { ended, output } = start(env, args);
    expect(await ended).toBe(1);
    expect(output()).not.toMatch(/\n\s+at .*\.m?js:\d+/);
    expect(output()).not.toContain(' | ');
    return output();
  }

  test('settings that cannot be used, all at once', async () => {
    const output = await refusal({ PRM_M: 'many', OPENCLAW_RL_RL_AT_LEAST_ONE: '1' });
    expect(output).toContain('judge.votes (OPENCLAW_RL_JUDGE_VOTES, PRM_M) is "many"');
    expect(output).toContain('OPENCLAW_RL_RL_AT_LEAST_ONE is not supported');
    expect(output.match(/cannot be used/g)).toHaveLength(1);
  });

  test.each([
    ['PORT', 'gateway.port', {}],
    ['OPENCLAW_RL_DOOR_PORT', 'door.port', { PORT: '0' }],
  ])(
    'a port of %s that is taken, by its number and setting, and name one to take',
    async (variable, setting, others) => {
      const { server, port } = await listenSomewhere();
      // The next one is the pocket engine's.
      const pocket = { OPENCLAW_RL_POCKET_PORT: String(port + 1) };
      const output = await refusal({ ...others, ...pocket, [variable]: String(port) });
      server.close();
      expect(output).toContain(`Port ${port} on 127.0.0.1 is taken, and ${setting} (`);
      const [, proposed = ''] = new RegExp(`choose another port: ${variable}=(\\d+) npm start`).exec(output) ?? [];
      expect(Number(proposed)).toBeGreaterThan(port + 1);
    },
  );

  test('a NATS_URL where nothing answers', async () => {
    const port = await freePort();
    const output = await refusal({ ...(await freeDoors()), NATS_URL: `nats://127.0.0.1:${port}` });
    expect(output).toContain(`No NATS server answers at 127.0.0.1:${port}`);
  });

  test('a NATS_SERVER_BIN that is no program', async () => {
    const output = await refusal({ ...(await freeDoors()), NATS_SERVER_BIN: join(folder, 'none') });
    expect(output).toContain('NATS_SERVER_BIN is');
  });

  test.each(['0', '1.5', 'many'])('--judges %s', async (judges) => {
    expect(await refusal({}, ['--judges', judges])).toContain('allowed: a whole number from 1 to 64');
  });

  test('an option that is not known, with the list of options', async () => {
    expect(await refusal({}, ['--judge', '2'])).toContain('--judges N');
  });
});

describe('finding a nats-server', () => {
  /** A program that writes its name and arguments to a log, then runs `then`. */
  function stub(name: string, then = ''): void {
    const path = join(folder, 'bin', name);
    writeFileSync(path, `#!/bin/sh\necho ${name} "$@" >> '${join(folder, 'calls')}'\n${then}\n`);
    chmodSync(path, 0o755);
  }

  function find({ isRoot, pathSuffix = '' }: { isRoot: boolean; pathSuffix?: string }): Record<string, string> {
    const script = `
      import { findNatsServer } from ${JSON.stringify(join(root, 'scripts/lib/nats.mjs'))};
      const env = { PATH: ${JSON.stringify(join(folder, 'bin') + pathSuffix)} };
      const answer = await findNatsServer({ env, usualFolders: [], isRoot: ${isRoot} }).catch((error) => ({ problem: error.message }));
      console.log('\\n' + JSON.stringify(answer));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' });
    return JSON.parse(output.trim().split('\n').at(-1) ?? '') as Record<string, string>;
  }

  const calls = (): string[] => readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  const writesServer = (): string => `[ "$1" = install ] && echo '#!/bin/sh' > '${join(folder, 'bin/nats-server')}'`;

  beforeEach(() => {
    mkdirSync(join(folder, 'bin'));
  });

  test('takes the one in the path', () => {
    stub('nats-server');
    stub('apt-get');
    expect(find({ isRoot: true })).toEqual({ binary: join(folder, 'bin/nats-server') });
  });

  test('installs it as root, after the package lists', () => {
    stub('apt-get', `${writesServer()} && /bin/chmod +x '${join(folder, 'bin/nats-server')}'\nexit 0`);
    expect(find({ isRoot: true })).toEqual({ binary: join(folder, 'bin/nats-server') });
    expect(calls()).toEqual(['apt-get update', 'apt-get install -y --no-install-recommends nats-server']);
  });

  test('takes Docker if the package manager fails and a daemon answers', () => {
    stub('apt-get', 'exit 100');
    stub('docker');
    expect(find({ isRoot: true })).toMatchObject({ dockerImage: expect.stringMatching(/^nats:/) });
    expect(calls()).toEqual(['apt-get update', 'docker info']);
  });

  test('says in one sentence how this system installs it, for who is not root', () => {
    stub('apt-get');
    stub('docker', 'exit 1');
    expect(find({ isRoot: false }).problem).toBe(
      'No nats-server was found. Install it (sudo apt-get update && sudo apt-get install -y nats-server), ' +
        'or set NATS_URL to a server that runs, and start again.',
    );
    expect(calls()).toEqual(['docker info']);
  });

  test('says where to get it on a system without a package manager', () => {
    expect(find({ isRoot: true }).problem).toContain('see https://nats.io/download');
  });
});

describe('the whole stack', () => {
  jest.setTimeout(2 * STACK_UP_MS);

  test('is up with one line a service, serves, survives a dead service, and stops with nothing left', async () => {
    const doors = await freeDoors();
    const stack = await startUp(doors, ['--judges', '2']);
    const gateway = `http://127.0.0.1:${doors.PORT}`;

    const services = ['gateway', 'session-tracker', 'prm-judge-1', 'prm-judge-2', 'sample-submitter', 'nats'];
    services.push('pocket-engine', 'trainer');
    for (const service of services) expect(readyLines(stack, service)).toHaveLength(1);
    expect(stack.output()).toContain(`Gateway   ${gateway}/v1`);
    expect(stack.output()).toContain('POCKET MODEL');
    expect(stack.output()).toContain('pocket-judge: rules, not a model');
    expect(stack.output()).toContain('Learning  on: each 16 answers');
    const hours = (stream: 'RL_TURNS' | 'RL_SAMPLES'): string => `for ${STREAMS[stream].maxAgeSeconds / 3600} hours`;
    expect(stack.output()).toMatch(new RegExp(`Records   off: .*${hours('RL_TURNS')}; .*${hours('RL_SAMPLES')}`));
    expect(stack.output()).not.toContain('not reachable');
    expect(stack.output()).toContain(`curl ${gateway}/v1/chat/completions`);
    const block = /^\{\n[^]*?^\}/m.exec(stack.output())?.[0] ?? '';
    expect(JSON.parse(block)).toMatchObject({
      models: { providers: { 'openclaw-rl': { baseUrl: `${gateway}/v1`, apiKey: 'sk-any' } } },
    });

    const answer = await fetch(`${gateway}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'openclaw-rl', messages: [{ role: 'user', content: 'Hello' }] }),
    });
    expect(answer.status).toBe(200);
    expect((await answer.json()).choices[0].message.content).not.toBe('');

    const second = start(doors, ['--state', join(folder, 'other')]);
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Port ${doors.PORT} on 127.0.0.1 is taken`);

    const processes = below(stack.child.pid ?? 0);
    const [judge] = [...processes].find(([, args]) => args.includes('prm-judge')) ?? [];
    process.kill(judge ?? 0, 'SIGKILL');
    await until(() => /prm-judge-\d ended \(signal SIGKILL\)/.test(stack.output()), { what: 'the death is reported' });
    const judgeLines = (): number => readyLines(stack, 'prm-judge-1').length + readyLines(stack, 'prm-judge-2').length;
    await until(() => judgeLines() === 3, { what: 'the judge is up again', timeoutMs: 20_000 });

    const all = [...below(stack.child.pid ?? 0).keys()];
    stack.child.kill('SIGINT');
    expect(await stack.ended).toBe(0);
    expect(all.filter(isAlive)).toEqual([]);
    expect(stack.output()).not.toContain('is killed');
  });

  test('has its metrics from one port on, its records in the folder of the store, and says which model does not answer', async () => {
    const metrics = await freePort();
    const [policy, judge] = [await freePort(), await freePort()];
    const stack = await startUp({
      ...(await freeDoors()),
      METRICS_PORT: String(metrics),
      OPENCLAW_RECORD_ENABLED: '1',
      OPENCLAW_RL_SERVER_BASE_URL: `http://127.0.0.1:${policy}`,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'model',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: `http://127.0.0.1:${judge}`,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    });
    expect(readyLines(stack, 'session-tracker')).toEqual([expect.stringContaining(`:${metrics}`)]);
    expect(readyLines(stack, 'prm-judge')).toEqual([expect.stringContaining(`:${metrics + 1}`)]);
    expect(stack.output()).toContain(`Policy    model at http://127.0.0.1:${policy}, not reachable yet`);
    expect(stack.output()).toContain(`Judge     judge at http://127.0.0.1:${judge}, not reachable yet`);
    for (const none of ['POCKET MODEL', 'Learning']) expect(stack.output()).not.toContain(none);
    expect(readyLines(stack, 'pocket-engine')).toEqual([]);
    expect(readyLines(stack, 'trainer')).toEqual([]);
    expect(stack.output()).toContain(`are written to ${join(folder, 'state', 'records')}`);
  });

  test('puts the pocket engine where its settings say', async () => {
    const port = await freePort();
    const servedFile = join(folder, 'served.json');
    const where = { OPENCLAW_RL_POCKET_HOST: '0.0.0.0', OPENCLAW_RL_POCKET_PORT: String(port) };
    const stack = await startUp({ ...(await freeDoors()), ...where, OPENCLAW_RL_POCKET_SERVED_FILE: servedFile });
    expect(readyLines(stack, 'pocket-engine')).toHaveLength(1);
    for (const host of ['127.0.0.1', ...addressesOutside().slice(0, 1)]) {
      expect((await fetch(`http://${host}:${port}/v1/models`)).status).toBe(200);
    }
    const update = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const weights = { model_path: join(root, 'libs/pocket-lm/weights'), weight_version: '0' };
    const loaded = await fetch(`http://127.0.0.1:${port}/update_weights_from_disk`, {
      ...update,
      body: JSON.stringify(weights),
    });
    expect([loaded.status, existsSync(servedFile)]).toEqual([200, true]);
    const second = start({ ...(await freeDoors()), ...where, OPENCLAW_RL_CONFIG: join(folder, 'empty.toml') });
    expect(await second.ended).toBe(1);
    expect(second.output()).toContain(`Port ${port} on 0.0.0.0 is taken, and pocket.port (`);
  });

  test('keeps two stacks from one store, at any log level', async () => {
    await startUp({ ...(await freeDoors()), OPENCLAW_RL_LOGS_LEVEL: 'error' });
    const second = start(await freeDoors());
    expect(await second.ended).toBe(1);
    expect(second.output()).toMatch(/A NATS server on port \d+ uses the store in .* already/);
  });

  test('leaves no process behind when it is killed itself', async () => {
    const stack = await startUp(await freeDoors());
    const all = [...below(stack.child.pid ?? 0).keys()];
    expect(all.length).toBeGreaterThan(5);
    stack.child.kill('SIGKILL');
    await until(() => !all.some(isAlive), { what: 'all processes have ended', timeoutMs: 20_000 });
  });
});

/** This machine's addresses of IPv4 that others know it by. */
function addressesOutside(): string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) =>
    all.flatMap(({ family, internal, address }) => (family === 'IPv4' && !internal ? [address] : [])),
  );
}

function readyLines(stack: Started, service: string): string[] {
  const line = new RegExp(`^${service} +\\| .*\\bready\\b`);
  return stack
    .output()
    .split('\n')
    .filter((candidate) => line.test(candidate));
}
