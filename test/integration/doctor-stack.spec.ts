import 'reflect-metadata';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { CONSUMERS, STREAM_NAMES } from '@app/contracts';
import type { Bus } from '@app/bus';
import { freePort, startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { consult, type Sight } from '../support/doctor';
import { OddServer } from '../support/odd-server';
import { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { startWorker } from '../support/worker';
import { connectBus, startSubmitter, type Submitter } from './submitter-harness';

interface Parts {
  readonly nats: NatsServer;
  readonly engine: EngineDouble;
  readonly bus: Bus;
  readonly gateway: TestGateway;
  readonly submitter: Submitter;
  readonly env: Record<string, string>;
}

/** A stack inside the test's process, and the doctor who looks at it. */
class Stack {
  private constructor(private readonly parts: Parts) {}

  get nats(): NatsServer {
    return this.parts.nats;
  }

  get engine(): EngineDouble {
    return this.parts.engine;
  }

  get bus(): Bus {
    return this.parts.bus;
  }

  get doorUrl(): string {
    return this.parts.submitter.url;
  }

  static async start(opened: Opened, more: Record<string, string> = {}): Promise<Stack> {
    const nats = opened.add(await startNatsServer());
    const engine = opened.add(await startEngineDouble());
    const bus = opened.add(await connectBus(nats.url));
    const env = {
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      ...more,
    };
    const gateway = opened.add(await startGateway(env));
    const submitter = opened.add(await startSubmitter(nats.url, env));
    return new Stack({ nats, engine, bus, gateway, submitter, env });
  }

  /** The tracker and the judge. */
  async startWorkers(opened: Opened): Promise<NestFastifyApplication[]> {
    const settings = settingsFrom(this.parts.env);
    const modules = [SessionTrackerModule.forSettings(settings), PrmJudgeModule.forSettings(settings)];
    return Promise.all(modules.map(async (module) => opened.add(await startWorker(module, []))));
  }

  consult(ids: readonly string[], { env = {}, options = {} }: Sight = {}): ReturnType<typeof consult> {
    const at = { gateway: this.parts.gateway.url, door: this.doorUrl };
    return consult(ids, { env: { ...this.parts.env, ...env }, options: { ...at, ...options } });
  }

  /** Messages in all streams. */
  async stored(): Promise<number> {
    const { jsm } = this.bus.connection.current();
    const infos = await Promise.all(STREAM_NAMES.map((name) => jsm.streams.info(name)));
    return infos.reduce((sum, { state }) => sum + state.messages, 0);
  }
}

describe('the doctor on a stack', () => {
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
    await until(async () => (await stack.stored()) === 0, { what: 'empty streams' });
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
    await until(isIdle, { what: 'a queue that nobody serves' });
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

  it('tells a gate that a trainer has closed, and until when', async () => {
    const stack = await Stack.start(opened);
    const begun = await fetch(`${stack.doorUrl}/v1/policy/updates`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: 'update-1', trainer: 'mine', lease_ms: 60_000 }),
    });
    expect(begun.status).toBe(200);
    expect((await stack.consult(['gate'])).gate).toMatchObject({
      status: 'warning',
      seen: expect.stringMatching(/^closed: .*mine.* for \d+ s at most; requests wait$/),
    });
  });

  it('tells a gateway whose policy, or whose NATS, is gone', async () => {
    const stack = await Stack.start(opened);
    await stack.nats.kill();
    const isDown = async (): Promise<boolean> => (await stack.consult(['gateway'])).gateway?.status === 'failed';
    await until(isDown, { what: 'a gateway without NATS', everyMs: 50 });
    expect((await stack.consult(['gateway'])).gateway?.remedy).toBe('see the lines about NATS');
    await stack.nats.restart();
    await stack.engine.close();
    const isAway = async (): Promise<boolean> =>
      (await stack.consult(['gateway'])).gateway?.seen === 'it runs, and cannot reach the policy';
    await until(isAway, { what: 'a gateway without a policy', everyMs: 50 });
  });

  it('says why a turn would not be trained on', async () => {
    const stack = await Stack.start(opened);
    stack.engine.set({ sglext: false });
    await stack.startWorkers(opened);
    expect((await stack.consult(['turn'])).turn).toMatchObject({
      status: 'warning',
      seen: expect.stringContaining('would not be trained on: no_token_ids'),
    });
  });
});
