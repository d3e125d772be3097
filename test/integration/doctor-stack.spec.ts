import 'reflect-metadata';
import { CONSUMERS, SessionClosed } from '@app/contracts';
import { freePort, startEngineDouble, until } from '@app/testing';
import { consult } from '../support/doctor';
import { OddNats } from '../support/odd-nats';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';
import { Stack } from './doctor-harness';

describe('the doctor on a stack', () => {
  // Whole stacks, on machines that have other things to do.
  jest.setTimeout(90_000);
  const opened = new Opened();
  afterEach(() => opened.close());

  it('sees a whole turn through it, and leaves neither a sample nor a message', async () => {
    const stack = await Stack.start(opened);
    await stack.startWorkers(opened);
    const found = await stack.consult(['turn', 'gate', 'route']);
    expect(found.turn).toMatchObject({
      status: 'ok',
      seen: expect.stringMatching(
        /^answered, stored \(\d+ \+ \d+ tokens by sglext\), settled as no_next_state, removed$/,
      ),
    });
    expect(Object.values(found).map(({ id, status }) => [id, status])).toEqual(
      Object.keys(found).map((id) => [id, 'ok']),
    );
    expect(stack.engine.chats('judge')).toEqual([]);
    // What a session-tracker has published since of a session that is gone goes with the sweep behind the erasure.
    await until(async () => (await stack.stored()) === 0, { what: 'empty streams', timeoutMs: 60_000 });
    const stats = (await (await fetch(`${stack.doorUrl}/v1/stats`)).json()) as { outcomes: object };
    expect(stats.outcomes).toEqual({});
  });

  it('says "not running: npm start", or fails where the stack has to run', async () => {
    const [port, door] = [String(await freePort()), String(await freePort())];
    const env = { PORT: port, OPENCLAW_RL_DOOR_PORT: door };
    const found = await consult(['turn', 'gate'], { env });
    expect(found.gateway).toMatchObject({
      status: 'unchecked',
      seen: expect.stringContaining('not running: npm start'),
    });
    expect([found.door?.status, found.gate?.status, found.turn?.status]).toEqual(Array(3).fill('unchecked'));
    const demanded = await consult(['gateway'], { env, options: { mustRun: true } });
    expect(demanded.gateway).toMatchObject({ status: 'failed', remedy: 'npm start' });
  });

  it('tells another program on the port, and keys that are not those of the running services', async () => {
    const other = await opened.add(new OddServer(() => ({ body: 'hello' }))).start();
    const elsewhere = await consult(['gateway'], { options: { gateway: other.url } });
    expect(elsewhere.gateway).toMatchObject({ status: 'failed', seen: expect.stringContaining('is no gateway') });
    const stack = await Stack.start(opened, {
      OPENCLAW_RL_GATEWAY_API_KEYS: 'chat-key',
      OPENCLAW_RL_DOOR_API_KEYS: 'door-key',
    });
    const env = { OPENCLAW_RL_GATEWAY_API_KEYS: 'old-key', OPENCLAW_RL_DOOR_API_KEYS: 'old-door' };
    const found = await stack.consult(['gateway', 'door'], { env });
    expect(found.gateway).toMatchObject({ status: 'failed', seen: 'it refuses the key of these settings (401)' });
    expect(found.door).toMatchObject({ status: 'failed', seen: 'it refuses the key of these settings (401)' });
    expect(JSON.stringify(found)).not.toMatch(/chat-key|old-key|door-key|old-door/);
    const right = await stack.consult(['gateway', 'door']);
    expect([right.gateway?.status, right.door?.status]).toEqual(['ok', 'ok']);
  });

  it('names the service that takes no work, and the messages that nobody could handle', async () => {
    const stack = await Stack.start(opened);
    const [, judge] = await stack.startWorkers(opened);
    expect((await stack.consult(['workers'])).workers?.status).toBe('ok');
    await judge!.close();
    const { jsm } = stack.bus.connection.current();
    // A pull of the judge that has gone outlives it by a moment.
    const isIdle = async (): Promise<boolean> =>
      (await jsm.consumers.info(CONSUMERS.judge.stream, CONSUMERS.judge.durable)).num_waiting === 0;
    await until(isIdle, { what: 'a queue that nobody serves', timeoutMs: 60_000 });
    const found = await stack.consult(['turn']);
    expect(found.workers).toMatchObject({ status: 'failed', seen: 'prm-judge takes no work' });
    expect(found.turn?.status).toBe('unchecked');
    stack.bus.core().publish('rl.dead.letter.v1.prm-judge.x-1', '{}');
    await stack.bus.core().flush();
    await stack.startWorkers(opened);
    expect((await stack.consult(['workers'])).workers).toMatchObject({
      status: 'warning',
      seen: 'messages that could not be handled: 1 (stream RL_DEAD)',
    });
  });

  it('tells a gateway whose policy, or whose NATS, is gone', async () => {
    const stack = await Stack.start(opened);
    await stack.nats.kill();
    const isDown = async (): Promise<boolean> => (await stack.consult(['gateway'])).gateway?.status === 'failed';
    await until(isDown, { what: 'a gateway without NATS', timeoutMs: 60_000, everyMs: 50 });
    expect((await stack.consult(['gateway'])).gateway?.remedy).toBe('see the lines about NATS');
    await stack.nats.restart();
    await stack.engine.close();
    const isAway = async (): Promise<boolean> =>
      (await stack.consult(['gateway'])).gateway?.seen === 'it runs, and cannot reach the policy';
    await until(isAway, { what: 'a gateway without a policy', timeoutMs: 60_000, everyMs: 50 });
  });

  it('tells a gateway one of whose engines is away', async () => {
    const other = opened.add(await startEngineDouble());
    const stack = await Stack.start(opened, {
      OPENCLAW_RL_SERVER_BASE_URL: other.url,
      OPENCLAW_RL_POOLS_POLICY_ENGINES: `http://127.0.0.1:${await freePort()},${other.url}`,
      OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1',
    });
    const isTold = async (): Promise<boolean> => (await stack.consult(['gateway'])).gateway?.status === 'warning';
    await until(isTold, { what: 'an engine that is not in order', timeoutMs: 60_000 });
    expect((await stack.consult(['gateway'])).gateway).toMatchObject({
      seen: 'it serves, and an engine of the policy is not in order',
      remedy: 'GET /readyz names the engine, and says what to do',
    });
  });

  it('tells a door that is none, one without its policy, and ports at which no HTTP is spoken', async () => {
    const other = await opened.add(new OddServer(() => ({ body: 'hello' }))).start();
    const { door } = await consult(['door'], { options: { door: other.url } });
    expect(door).toMatchObject({ status: 'failed', seen: expect.stringContaining('something that is not JSON') });
    const torn = await opened
      .add(new OddServer((path) => (path === '/v1/stats' ? { body: { waiting: 0 } } : { status: 500, body: {} })))
      .start();
    const { gate } = await consult(['gate'], { options: { door: torn.url } });
    expect(gate).toMatchObject({ status: 'failed', remedy: 'look at the log of sample-submitter' });
    const { url } = await opened.add(new OddNats({ version: '2.12.0' })).start();
    const options = { gateway: url.replace('nats', 'http'), door: url.replace('nats', 'http') };
    const broken = await consult(['gateway', 'door'], { options });
    for (const finding of [broken.gateway, broken.door]) {
      expect(finding).toMatchObject({ status: 'failed', seen: expect.stringContaining('the connection broke') });
    }
  });

  it('tells a service that is far behind', async () => {
    const stack = await Stack.start(opened);
    const [tracker] = await stack.startWorkers(opened);
    await tracker!.close();
    stack.holdTurns(opened);
    for (let i = 0; i < 1010; i += 1) stack.bus.core().publish(SessionClosed.subject(`r${i}`), '');
    await stack.bus.core().flush();
    const { workers } = await stack.consult(['workers']);
    expect(workers).toMatchObject({
      status: 'warning',
      seen: expect.stringMatching(/^session-tracker is 10\d\d messages behind$/),
      remedy: expect.stringContaining('start more replicas of it'),
    });
  });
});
