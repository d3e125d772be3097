import { freePort } from './free-port';
import { startNatsServer, type NatsServer } from './nats-server';
import { makeNetworkIsland, type NetworkIsland } from './network-island';
import { until } from './until';

const SERVERS = 3;
const LOOPBACK = '127.0.0.1';

export interface NatsClusterOptions {
  /** Further lines of each server's configuration. */
  readonly config?: string;
}

/** Three real nats-servers that keep three copies of a stream. */
export interface NatsCluster {
  /** URLs of all servers, separated by commas. */
  readonly url: string;
  /** `n1`, `n2` and `n3`: names as their cluster knows them. */
  readonly servers: ReadonlyMap<string, NatsServer>;
  /** The network of the last server, which can be cut off; null where there can be none. */
  readonly island: NetworkIsland | null;
  /** Resolves when every server that runs and can be reached is in touch with the others, and holds all that it should. */
  healthy(): Promise<void>;
  kill(): Promise<void>;
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Place {
  readonly name: string;
  /** Where clients reach it. */
  readonly host: string;
  readonly port: number;
  readonly routes: { readonly host: string; readonly port: number };
  readonly monitor: number;
  readonly runBy: readonly string[];
}

const isHealthy = async ({ host, monitor }: Place): Promise<boolean> =>
  (await fetch(`http://${host}:${monitor}/healthz`, { signal: AbortSignal.timeout(2000) })).ok;

const configOf = ({ name, host, routes, monitor }: Place, all: readonly Place[]): string =>
  [
    `server_name: ${name}`,
    `http: "${host}:${monitor}"`,
    'cluster {',
    '  name: openclaw-rl',
    `  listen: "${routes.host}:${routes.port}"`,
    // Clients know all addresses, and one of them would be told where it cannot go.
    '  no_advertise: true',
    `  routes: [${all.map((each) => `"nats://${each.routes.host}:${each.routes.port}"`).join(', ')}]`,
    '}',
  ].join('\n');

/** Starts three servers; the last one in a network of its own, where that is possible. Resolves when they have found each other. */
export const startNatsCluster = async ({ config = '' }: NatsClusterOptions = {}): Promise<NatsCluster> => {
  const island = makeNetworkIsland();
  const places: Place[] = [];
  for (let i = 1; i <= SERVERS; i += 1) {
    const isAway = island !== null && i === SERVERS;
    const [host, routes] = isAway ? [island.there, island.there] : [LOOPBACK, island?.here ?? LOOPBACK];
    places.push({
      name: `n${i}`,
      host,
      port: await freePort(),
      routes: { host: routes, port: await freePort() },
      monitor: await freePort(),
      runBy: isAway ? island.runBy : [],
    });
  }
  const servers = new Map<string, NatsServer>();
  for (const place of places) {
    const { host, runBy } = place;
    const lines = `${configOf(place, places)}\n${config}`;
    servers.set(place.name, await startNatsServer({ host, runBy, port: place.port, config: lines }));
  }
  const all = <Result>(act: (server: NatsServer) => Promise<Result>): Promise<Result[]> =>
    Promise.all([...servers.values()].map(act));
  const healthy = async (): Promise<void> => {
    const running = places.filter(({ name }) => servers.get(name)?.pid !== undefined);
    await until(async () => (await Promise.all(running.map(isHealthy))).every(Boolean), {
      what: 'every nats-server of the cluster is healthy',
      timeoutMs: 60_000,
      everyMs: 100,
    });
  };
  await healthy();
  return {
    url: places.map(({ host, port: clients }) => `nats://${host}:${clients}`).join(','),
    servers,
    island,
    healthy,
    kill: async () => {
      await all((server) => server.kill());
    },
    restart: async () => {
      await all((server) => server.restart());
      await healthy();
    },
    stop: async () => {
      island?.heal();
      await all((server) => server.stop());
      island?.remove();
    },
  };
};
