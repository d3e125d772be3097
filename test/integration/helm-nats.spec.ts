import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { freePort, killWithParent, until } from '@app/testing';
import { environmentOf, find, podsOf, renderExamples } from '../support/chart';
import { readEnvFile } from '../support/compose-file';

const rendered = renderExamples();
const describeChart = rendered === null ? describe.skip : describe;
const SERVERS = [0, 1, 2];
const SECRET: Record<string, string> = { ...readEnvFile('deploy/env/nats.env'), NATS_ROUTE_PASSWORD: 'kroute' };

interface Server {
  readonly port: number;
  readonly monitor: number;
  readonly process: ChildProcess;
  /** What it has logged so far. */
  log: string;
}

let folder: string;
const running: Server[] = [];

/**
 * Starts a server of the chart's StatefulSet as its pod would, with addresses of this machine in the place of the pods'. `pod`
 * numbers its name and its volume: by default those of a pod that has not been there before.
 */
const start = async (
  i: number,
  routes: readonly number[],
  secret: Record<string, string>,
  pod = running.length,
): Promise<Server> => {
  const manifests = rendered!.everything!;
  const [container] = podsOf(manifests).nats!.containers;
  const [port, monitor] = [await freePort(), await freePort()];
  const home = join(folder, `server-${pod}`);
  mkdirSync(home, { recursive: true });
  for (const [name, text] of Object.entries(find(manifests, 'ConfigMap', 'nats').data)) {
    const here = text
      .replace('"0.0.0.0:6222"', `"127.0.0.1:${routes[i]}"`)
      .replace('host: "0.0.0.0"', 'host: "127.0.0.1"')
      .replaceAll('"/data"', JSON.stringify(join(home, 'data')))
      .replace('127.0.0.1:8222', `127.0.0.1:${monitor}`);
    writeFileSync(join(home, name), here);
  }
  const args = container.args!.map((arg) =>
    arg
      .replace('/etc/openclaw-rl', home)
      .replaceAll('$(NATS_ROUTE_PASSWORD)', secret.NATS_ROUTE_PASSWORD!)
      .replaceAll(/openclaw-rl-nats-(\d)\.openclaw-rl-nats:6222/g, (__, n: string) => `127.0.0.1:${routes[Number(n)]}`),
  );
  const env = { ...process.env, ...environmentOf(container, secret), POD_NAME: `openclaw-rl-nats-${pod}` };
  const child = spawn(process.env.NATS_SERVER_BIN ?? 'nats-server', [...args, '-p', String(port)], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  killWithParent(child);
  const server = { port, monitor, process: child, log: '' };
  child.stderr.on('data', (text) => (server.log += String(text)));
  running.push(server);
  return server;
};

const ask = async ({ monitor, process: child, log }: Server, path: string): Promise<Response> => {
  if (child.exitCode !== null) throw new Error(`a server has ended with code ${child.exitCode}: ${log}`);
  return fetch(`http://127.0.0.1:${monitor}${path}`, { signal: AbortSignal.timeout(2000) });
};

const untilInTouch = (server: Server): Promise<unknown> =>
  until(async () => (await ask(server, '/healthz')).ok, {
    what: 'a server is in touch with the others',
    timeoutMs: 60_000,
  });

/** Three servers that know each other. Returns the ports at which they do. */
const startCluster = async (): Promise<number[]> => {
  folder = mkdtempSync(join(tmpdir(), 'nats-cluster-'));
  const routes = [await freePort(), await freePort(), await freePort()];
  for (const i of SERVERS) await start(i, routes, SECRET);
  for (const server of [...running]) await untilInTouch(server);
  return routes;
};

const enter = ({ port }: Server, secret: Record<string, string>): Promise<NatsConnection> =>
  connect({
    port,
    user: 'session-tracker',
    pass: secret.NATS_SESSION_TRACKER_PASSWORD,
    inboxPrefix: '_INBOX.session-tracker',
    reconnect: false,
  });

afterEach(async () => {
  for (const { process: child } of running.splice(0)) {
    const hasEnded = child.exitCode !== null || once(child, 'exit');
    child.kill('SIGKILL');
    await hasEnded;
  }
  rmSync(folder, { recursive: true, force: true });
});

jest.setTimeout(120_000);

describeChart("the chart's cluster of NATS", () => {
  it('keeps three copies for the services, and lets in no server without its password', async () => {
    const routes = await startCluster();
    const [first, second] = running;
    const nc = await enter(first!, SECRET);
    const manager = await jetstreamManager(nc);
    const { config } = await manager.streams.add({ name: 'RL_TEST', subjects: ['test.>'], num_replicas: 3 });
    expect(config.num_replicas).toBe(3);
    await nc.close();

    const stranger = await start(0, [await freePort(), ...routes.slice(1)], {
      ...SECRET,
      NATS_ROUTE_PASSWORD: 'kwrong',
    });
    // It knows the second and the third; its own address stands for the first's.
    await until(() => second!.log.includes('authentication error'), { what: 'the stranger has tried to get in' });
    const { routes: found } = (await (await ask(first!, '/routez')).json()) as { routes: { remote_name?: string }[] };
    expect(found).toHaveLength(2);
    expect((await ask(stranger, '/healthz')).status).toBe(503);
  });

  it('takes new passwords of its users one server after the other, and holds what it held', async () => {
    const routes = await startCluster();
    const before = await enter(running[0]!, SECRET);
    const streams = (await jetstreamManager(before)).streams;
    await streams.add({ name: 'RL_FOLLOWS', subjects: ['rl.turn.followed.v1.*'], num_replicas: 3 });
    await jetstream(before).publish('rl.turn.followed.v1.t', 'kept');
    await before.close();

    const renewed = { ...SECRET, NATS_SESSION_TRACKER_PASSWORD: 'knew' };
    for (const i of SERVERS) {
      const old = running.shift()!;
      old.process.kill('SIGTERM');
      await once(old.process, 'exit');
      await untilInTouch(await start(i, routes, renewed, i));
    }
    for (const server of running) {
      await expect(enter(server, SECRET)).rejects.toThrow(/authorization/i);
      const nc = await enter(server, renewed);
      const kept = await (
        await jetstreamManager(nc)
      ).streams.getMessage('RL_FOLLOWS', { last_by_subj: 'rl.turn.followed.v1.t' });
      expect(kept?.string()).toBe('kept');
      await nc.close();
    }
  });
});
