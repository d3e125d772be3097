import { rmSync } from 'node:fs';
import { Bus } from '@app/bus';
import { BUCKETS } from '@app/contracts';
import { INITIAL_POLICY_STATE, POLICY_KEY, PolicyWatch, type PolicyState } from '@app/pools';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';

describe('PolicyWatch', () => {
  let server: NatsServer;
  let bus: Bus;
  let watch: PolicyWatch;
  const opened = new Opened();
  let seen: number[];

  beforeEach(async () => {
    server = opened.add(await startNatsServer());
    bus = opened.add(new Bus({ url: server.url, app: 'test', storeGb: 0.05, replicas: 1 }));
    seen = [];
    watch = new PolicyWatch(bus);
    watch.onChange((state) => seen.push(state.version));
    run(watch);
  });
  afterEach(() => opened.close());

  /** Lets a watch run until the test ends. */
  const run = (started: PolicyWatch): void => {
    const running = started.run();
    opened.add({
      close: () => {
        started.stop();
        return running;
      },
    });
  };

  const write = async (change: Partial<PolicyState>): Promise<void> => {
    const bucket = await bus.bucket(BUCKETS.policy);
    await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, ...change }));
  };
  const sees = (version: number) =>
    until(() => watch.current.version === version, { what: `version ${version} is seen`, timeoutMs: 15_000 });

  it('begins with what holds before anybody has written, and knows that it does', async () => {
    await watch.whenKnown(10_000);
    expect(watch.isKnown).toBe(true);
    expect(watch.current).toEqual(INITIAL_POLICY_STATE);
  });

  it('sees each change, in order', async () => {
    await watch.whenKnown(10_000);
    for (const version of [1, 2, 3]) await write({ version });
    await sees(3);
    expect(seen).toEqual([1, 2, 3]);
    await write({ version: 3, gate: { state: 'draining', until: 12 } });
    await until(() => watch.current.gate.state === 'draining', { what: 'the closed gate is seen' });
  });

  it('sees what was written before it began', async () => {
    await write({ version: 5 });
    const late = new PolicyWatch(bus);
    run(late);
    await late.whenKnown(10_000);
    expect(late.current.version).toBe(5);
  });

  it('keeps the last state while the server is away, and follows again when it is back', async () => {
    await write({ version: 1 });
    await sees(1);
    await server.kill();
    await until(() => !bus.isUp, { what: 'the loss is noticed' });
    expect(watch.current.version).toBe(1);
    await server.restart();
    await write({ version: 2 });
    await sees(2);
  });

  it('follows again on a store that was emptied', async () => {
    await write({ version: 4 });
    await sees(4);
    await server.kill();
    rmSync(server.storeDir, { recursive: true, force: true });
    await server.restart();
    await until(() => bus.isUp, { what: 'the server is found again' });
    await write({ version: 1 });
    await sees(1);
  });

  it('lives through a value that is none, and a key that is deleted', async () => {
    await write({ version: 1 });
    await sees(1);
    const bucket = await bus.bucket(BUCKETS.policy);
    await bucket.put(POLICY_KEY, '{"version":"x"}');
    await bucket.delete(POLICY_KEY);
    await write({ version: 2 });
    await sees(2);
  });

  it('ends at once when it is told so before it began', async () => {
    const other = new PolicyWatch(bus);
    const end = other.run();
    other.stop();
    await end;
  });
});
