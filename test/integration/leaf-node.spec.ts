import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import { CONSUMERS, TurnArrived, TurnCompleted, TurnFollowed } from '@app/contracts';
import { freePort, startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { startGateway, type TestGateway } from '../support/start-gateway';

const PATIENCE_MS = 30_000;

describe('a gateway in another region, beside a leaf node', () => {
  const opened = new Opened();
  const storeDir = mkdtempSync(join(tmpdir(), 'hub-'));
  let hub: NatsServer;
  let leaf: NatsServer;
  let engine: EngineDouble;
  let gateway: TestGateway;
  let there: Bus;

  const bus = (server: NatsServer): Bus =>
    opened.add(new Bus({ url: server.url, app: 'test', storeGb: 1, replicas: 1 }));
  const chat = async (content: string): Promise<string> => {
    const response = await gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content }] });
    expect(response.status).toBe(200);
    await response.text();
    return response.headers.get('x-rl-turn-id')!;
  };
  const stored = (turnId: string) =>
    until(() => there.read(TurnCompleted, turnId), { what: `${turnId} is stored at the hub`, timeoutMs: PATIENCE_MS });

  beforeAll(async () => {
    const port = await freePort();
    const jetstream = `jetstream { store_dir: ${JSON.stringify(storeDir)}, domain: hub }`;
    hub = await startNatsServer({ storeDir, config: `${jetstream}\nleafnodes { listen: "127.0.0.1:${port}" }` });
    // It keeps nothing. What is asked of JetStream has the hub's domain put in front, without which a leaf node sends nothing on.
    const leafConfig = [
      'jetstream: false',
      'mappings: { "$JS.API.>": "$JS.hub.API.>", "$KV.>": "$JS.hub.API.$KV.>" }',
      `leafnodes { reconnect: 1, remotes: [{ url: "nats-leaf://127.0.0.1:${port}" }] }`,
    ];
    leaf = await startNatsServer({ config: leafConfig.join('\n') });
    engine = await startEngineDouble();
    there = bus(hub);
    await there.ready();
    gateway = await startGateway({
      NATS_URL: leaf.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await gateway.close();
    await opened.close();
    await engine.close();
    await leaf.stop();
    await hub.stop();
    rmSync(storeDir, { recursive: true, force: true });
  }, PATIENCE_MS);

  it('stores its turns in the streams of the hub', async () => {
    const turnId = await chat('Good morning.');
    expect((await stored(turnId)).body.head.messages).toEqual([{ role: 'user', content: 'Good morning.' }]);
    expect(await there.read(TurnArrived, turnId)).not.toBeNull();
  });

  it('reads and publishes there as beside it, with the same guard', async () => {
    const here = bus(leaf);
    await here.ready();
    const info = { turnId: 'guarded', session: 's', role: 'user', nextTurnId: 'n' } as const;
    const message = { info, head: {} };
    expect(await here.publish(TurnFollowed, ['guarded'], message)).toBe('stored');
    expect(await there.publish(TurnFollowed, ['guarded'], message)).not.toBe('stored');
    expect((await here.read(TurnFollowed, 'guarded'))?.info).toEqual(info);
    expect(await here.read(TurnFollowed, 'another')).toBeNull();
  });

  it('is given work there as beside it', async () => {
    const seen: string[] = [];
    const options = { consumer: CONSUMERS.judge, slots: 4 };
    const handle = ({ subject }: { readonly subject: string }): Promise<void> => {
      seen.push(subject);
      return Promise.resolve();
    };
    bus(leaf).consume({ ...options, handle });
    await until(() => seen.length === 1, { what: 'the followed turn is handed out' });
    const { jsm } = there.connection.current();
    const isDone = async (): Promise<boolean> =>
      (await jsm.consumers.info(CONSUMERS.judge.stream, CONSUMERS.judge.durable)).num_ack_pending === 0;
    await until(isDone, { what: 'it is acknowledged' });
  });

  it(
    'serves on while the link is down, and stores what it kept once it is back',
    async () => {
      await hub.kill();
      const turnId = await chat('Is anybody there?');
      // The gateway is in touch with its leaf node all the time: that turns wait is all that shows.
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(Number(/^openclaw_rl_capture_buffer_bytes (\d+)$/m.exec(metrics)?.[1])).toBeGreaterThan(0);
      expect(await (await fetch(`${gateway.url}/readyz`)).json()).toMatchObject({ status: 'ok', bus: 'up' });
      await hub.restart();
      expect((await stored(turnId)).body.head.messages).toEqual([{ role: 'user', content: 'Is anybody there?' }]);
    },
    2 * PATIENCE_MS,
  );
});
