import { Bus } from '@app/bus';
import { BUCKETS, CONSUMERS, STREAM_NAMES, TurnFollowed } from '@app/contracts';
import { startNatsCluster, until, type NatsCluster } from '@app/testing';
import { Opened } from '../support/opened';

const CLUSTER_MS = 60_000;

describe('the bus on a cluster of three servers', () => {
  const opened = new Opened();
  let cluster: NatsCluster;
  let bus: Bus;
  let count = 0;

  const newBus = (): Bus => opened.add(new Bus({ app: 'test', url: cluster.url, storeGb: 0.05, replicas: 3 }));
  const follow = async (): Promise<void> => {
    count += 1;
    const info = { turnId: `t${count}`, session: 's', role: 'user', nextTurnId: 'n' } as const;
    // A stream whose leader has died takes nothing for some seconds.
    await until(() => bus.publish(TurnFollowed, [info.turnId], { info, head: {} }), {
      what: `${info.turnId} is stored`,
      timeoutMs: CLUSTER_MS,
    });
  };
  const scanned = async (): Promise<number> => {
    let seen = 0;
    for await (const { subject } of bus.scan('RL_FOLLOWS')) if (TurnFollowed.matches(subject)) seen += 1;
    return seen;
  };
  const leaderOf = async (stream: string): Promise<string> => {
    const { cluster: group } = await bus.connection.current().jsm.streams.info(stream);
    return group?.leader ?? '';
  };

  beforeAll(async () => {
    cluster = await startNatsCluster();
    bus = newBus();
    await bus.ready();
  }, CLUSTER_MS);

  afterAll(async () => {
    await opened.close();
    await cluster.stop();
  }, CLUSTER_MS);

  it('keeps three copies of every stream and bucket', async () => {
    const { jsm } = bus.connection.current();
    const names = [...STREAM_NAMES, ...Object.values(BUCKETS).map(({ name }) => `KV_${name}`)];
    const copies = await Promise.all(names.map(async (name) => (await jsm.streams.info(name)).config.num_replicas));
    expect(copies).toEqual(names.map(() => 3));
  });

  it('adds copies to a store that had one, and reads its documents from the leader', async () => {
    const { jsm } = bus.connection.current();
    const name = `KV_${BUCKETS.sessions.name}`;
    await jsm.streams.update(name, { num_replicas: 1, allow_direct: true });
    await newBus().ready();
    expect((await jsm.streams.info(name)).config).toMatchObject({ num_replicas: 3, allow_direct: false });
  });

  it(
    'loses nothing when a leader is killed, and lists everything from whichever copy it reads',
    async () => {
      for (let i = 0; i < 20; i += 1) await follow();
      const leader = cluster.servers.get(await leaderOf('RL_FOLLOWS'))!;
      await leader.kill();
      for (let i = 0; i < 20; i += 1) await follow();
      await leader.restart();
      await cluster.healthy();
      await follow();
      // Each list reads from a copy that the servers choose.
      for (let i = 0; i < 12; i += 1) expect(await scanned()).toBe(count);
      expect(await bus.read(TurnFollowed, 't1')).not.toBeNull();
      expect(await bus.read(TurnFollowed, 'never-stored')).toBeNull();
    },
    2 * CLUSTER_MS,
  );

  it(
    'starts while the cluster has no leader, and works when it has one',
    async () => {
      const two = [...cluster.servers.values()].slice(0, 2);
      for (const server of two) await server.kill();
      const late = newBus();
      const seen = new Set<string>();
      late.consume({
        consumer: CONSUMERS.judge,
        slots: 4,
        handle: (delivery) => {
          seen.add(delivery.subject);
          return Promise.resolve();
        },
      });
      await until(() => late.isUp, { what: 'the one server that is left has been reached' });
      await expect(late.ready()).rejects.toThrow();
      for (const server of two) await server.restart();
      await cluster.healthy();
      await follow();
      await until(() => seen.size === count, { what: 'everything that is stored is delivered', timeoutMs: CLUSTER_MS });
    },
    2 * CLUSTER_MS,
  );
});
