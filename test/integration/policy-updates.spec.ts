import { EventEmitter } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Bus } from '@app/bus';
import { PolicyUpdated } from '@app/contracts';
import { answerRunning, PolicyStore, type PolicyState } from '@app/pools';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { connectBus, get, post, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';

describe('weight updates at the door', () => {
  const opened = new Opened();
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let names = 0;

  const open = async (env: Record<string, string> = {}): Promise<Submitter> => {
    const door = await startSubmitter(nats.url, {
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      ...env,
    });
    return opened.add(door);
  };
  const request = (): { request_id: string } => ({ request_id: `r${(names += 1)}` });
  const lease = async (door: Submitter, count: number): Promise<{ lease_id: string; samples: any[] }> => {
    const turnIds = Array.from({ length: count }, () => `t${(names += 1)}`);
    for (const turnId of turnIds) await publishTurn(bus, turnId, 1, { policyVersion: (await state()).version });
    for (const turnId of turnIds) await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
    const { body } = await post(door.url, '/v1/samples/lease', { ...request(), max: count, min: count });
    return body;
  };
  const begin = (door: Submitter, body: Record<string, unknown> = {}) =>
    post(door.url, '/v1/policy/updates', { ...request(), trainer: 'a', ...body });
  const on = (door: Submitter, token: string, operation: string, body: Record<string, unknown> = {}) =>
    post(door.url, `/v1/policy/updates/${token}/${operation}`, body);
  const state = (): Promise<PolicyState> => new PolicyStore(bus).read();
  const calls = (path: string) => engine.requests.filter((seen) => seen.path === path).map(({ body }) => body);
  const serves = (version: number) =>
    until(async () => (await state()).version === version && (await state()).unfinished === undefined, {
      what: `version ${version} serves`,
    });

  beforeEach(async () => {
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    engine = opened.add(await startEngineDouble());
  });
  afterEach(() => opened.close());

  it('pauses the engines, loads the weights, raises the version, acknowledges the batch, and tells of it', async () => {
    const door = await open();
    const { lease_id } = await lease(door, 2);
    const begun = await begin(door, { lease_ids: [lease_id] });
    expect(begun).toMatchObject({ status: 200, body: { version: 1 } });
    expect((await state()).gate).toMatchObject({ state: 'updating', holder: 'a', update: { pause: 'in_place' } });
    expect(calls('/pause_generation')).toEqual([{ mode: 'in_place' }]);

    const metrics = { loss: 0.25 };
    const committed = await on(door, begun.body.token, 'commit', { weights_path: '/weights/1', metrics });
    expect(committed).toMatchObject({
      status: 200,
      body: { outcome: 'committed', policy_version: 1, engine_version: '1-1', trainer: 'a', samples: 2 },
    });
    expect(calls('/continue_generation')).toHaveLength(1);
    expect(engine.settings.weightVersion).toBe('1-1');
    expect(await state()).toMatchObject({ version: 1, engineVersion: '1-1', acknowledged: 2, leases: [] });
    const told = (await bus.read(PolicyUpdated, '1'))!;
    expect(told.info).toMatchObject({
      version: 1,
      outcome: 'committed',
      trainer: 'a',
      engineVersion: '1-1',
      samples: 2,
    });
    expect(told.body.head).toEqual({ metrics });
    expect(await on(door, begun.body.token, 'commit', { weights_path: '/weights/1' })).toEqual(committed);

    const { body } = await get(door.url, '/v1/policy');
    expect(body).toMatchObject({
      policy_version: 1,
      engine_version: '1-1',
      gate: { state: 'serving', closed: false, holder: null },
      engines: [{ url: engine.url, reachable: true, version: '1-1' }],
      stale: 0,
      updates: [committed.body],
    });
    expect(JSON.stringify(body)).not.toContain(begun.body.token);
  });

  it('takes weights that the trainer has put in, under the engine’s own name, and no others', async () => {
    const door = await open();
    const { token } = (await begin(door)).body;
    const wrong = await on(door, token, 'commit', { engine_version: 'step-9' });
    expect(wrong).toMatchObject({ status: 409, body: { error: { code: 'engine_version_mismatch' } } });
    expect(wrong.body.error.message).toContain('step-9');
    engine.set({ weightVersion: 'step-9' });
    expect(await on(door, token, 'commit', { engine_version: 'step-9' })).toMatchObject({
      body: { policy_version: 1, engine_version: 'step-9' },
    });
  });

  it('asks for one name of the weights', async () => {
    const door = await open();
    const { token } = (await begin(door)).body;
    for (const body of [{}, { engine_version: 'a', weights_path: '/b' }]) {
      expect(await on(door, token, 'commit', body)).toMatchObject({ status: 400 });
    }
    for (const metrics of [{ loss: 'low' }, [1], { a: { b: 1 } }]) {
      const answer = await on(door, token, 'commit', { engine_version: 'a', metrics });
      expect(answer.body.error.message).toContain('metrics');
    }
  });

  it('refuses a second trainer at any replica, and lets it begin once the first has given up', async () => {
    const [one, two] = [await open(), await open()];
    const { token } = (await begin(one)).body;
    expect(await begin(two, { trainer: 'b' })).toMatchObject({
      status: 409,
      body: { error: { code: 'update_in_progress', message: expect.stringContaining('trainer a is updating') } },
    });
    expect(await on(two, token, 'abort', { reason: 'no memory' })).toMatchObject({
      body: { outcome: 'aborted', policy_version: 0, reason: 'no memory' },
    });
    expect(await begin(two, { trainer: 'b' })).toMatchObject({ status: 200, body: { version: 1 } });
    expect(await on(one, token, 'commit', { engine_version: 'default' })).toMatchObject({
      status: 409,
      body: { error: { code: 'update_ended' } },
    });
    expect(await on(one, 'never-given', 'extend')).toMatchObject({ status: 404 });
  });

  it('opens by itself after a trainer that died, hands its batch out again, and refuses its late commit', async () => {
    const door = await open();
    const { lease_id, samples } = await lease(door, 1);
    const { token } = (await begin(door, { lease_ids: [lease_id], lease_ms: 300 })).body;
    const isOver = ({ history, unfinished }: PolicyState) => history?.length === 1 && unfinished === undefined;
    await until(async () => isOver(await state()), { what: 'the update is brought to its end' });
    expect((await state()).history).toMatchObject([{ outcome: 'expired', version: 0 }]);
    expect(calls('/continue_generation')).toHaveLength(1);
    expect(await on(door, token, 'commit', { engine_version: 'default' })).toMatchObject({ status: 409 });
    await post(door.url, `/v1/samples/leases/${lease_id}/nack`, request());
    const again = await post(door.url, '/v1/samples/lease', request());
    expect(again.body.samples[0].index).toBe(samples[0].index);
  });

  it('adopts the weights of a trainer that died after the engines had them, and never hands their batch out again', async () => {
    const door = await open();
    const { lease_id } = await lease(door, 1);
    await begin(door, { lease_ids: [lease_id], lease_ms: 300 });
    engine.set({ weightVersion: 'new' });
    await serves(1);
    expect(await state()).toMatchObject({ engineVersion: 'new', acknowledged: 1 });
    expect((await bus.read(PolicyUpdated, '1'))?.info).toMatchObject({ outcome: 'recovered', samples: 1 });
  });

  it("ends a dead trainer's update in time, however often the state changes meanwhile", async () => {
    const door = await open();
    await begin(door, { lease_ms: 300 });
    const isOver = ({ history, unfinished }: PolicyState) => history?.length === 1 && unfinished === undefined;
    let changes = 0;
    while (!isOver(await state())) {
      // A store's first look writes the state: what leases do in a busy shop.
      changes += 1;
      if (changes > 1000) throw new Error('the update is still not ended after 1,000 changes of the state');
    }
    expect((await state()).history).toMatchObject([{ outcome: 'expired' }]);
  });

  it('keeps the lease alive for as long as the engines load', async () => {
    engine.set({ loadMs: 900 });
    const door = await open();
    const { token } = (await begin(door, { lease_ms: 300 })).body;
    expect(await on(door, token, 'commit', { weights_path: '/w' })).toMatchObject({ body: { outcome: 'committed' } });
  });

  it('is taken over by another replica, with the same request, where the first one died', async () => {
    const first = await open();
    const same = { request_id: 'same', lease_ms: 30_000 };
    const begun = await begin(first, same);
    await first.close();
    const second = await open();
    expect(await begin(second, same)).toEqual({ ...begun, body: { ...begun.body } });
    expect(await on(second, begun.body.token, 'extend', { lease_ms: 60_000 })).toMatchObject({
      body: { token: begun.body.token, version: 1 },
    });
    await on(second, begun.body.token, 'commit', { weights_path: '/w' });
    await serves(1);
  });

  it('lets running answers end where the engine cannot pause, and stops what is left after drain_timeout_s', async () => {
    engine.set({ pauseModes: ['abort'] });
    const runner = { running: 1, token: undefined as string | undefined };
    await answerRunning(bus, runner);
    const door = await open({ OPENCLAW_RL_GATE_DRAIN_TIMEOUT_S: '20' });
    const pending = begin(door);
    const update = await until(async () => (await state()).gate.update, { what: 'the gate is closed' });
    runner.token = update.token;
    expect((await state()).gate.state).toBe('draining');
    runner.running = 0;
    expect(await pending).toMatchObject({ status: 200 });
    expect((await state()).gate.update?.pause).toBe('drained');
    expect(calls('/pause_generation').at(-1)).toEqual({ mode: 'abort' });
    await on(door, update.token, 'abort');

    runner.running = 1;
    const hasty = await open({ OPENCLAW_RL_GATE_DRAIN_TIMEOUT_S: '0' });
    expect(await begin(hasty)).toMatchObject({ status: 200 });
  });

  it.each(['retract', 'drain'])('stops answers as gate.pause = %s says', async (pause) => {
    const door = await open({ OPENCLAW_RL_GATE_PAUSE: pause });
    const { token } = (await begin(door)).body;
    expect(calls('/pause_generation')).toEqual([{ mode: pause === 'drain' ? 'abort' : 'retract' }]);
    await on(door, token, 'commit', { weights_path: '/w' });
    expect(calls('/update_weights_from_disk')).toMatchObject([{ flush_cache: true }]);
  });

  it('shows the engines the key of server.api_key_env', async () => {
    engine.set({ apiKey: 'right' });
    const door = await open({ OPENCLAW_RL_SERVER_API_KEY_ENV: 'KEY_OF_THE_ENGINE', KEY_OF_THE_ENGINE: 'right' });
    const { token } = (await begin(door)).body;
    expect(await on(door, token, 'commit', { weights_path: '/w' })).toMatchObject({ status: 200 });
  });

  it('does not close the gate for engines that cannot be asked', async () => {
    engine.set({ apiKey: 'secret' });
    const refused = await open();
    expect(await begin(refused)).toMatchObject({ status: 502, body: { error: { code: 'engines_failed' } } });
    await engine.close();
    expect(await begin(refused)).toMatchObject({
      status: 502,
      body: { error: { message: expect.stringContaining('no engine of the policy can be reached') } },
    });
    expect((await state()).gate.state).toBe('serving');
    engine = opened.add(await startEngineDouble());
  });

  it('closes the gate only once the engines have answered', async () => {
    const waiting = new EventEmitter();
    let asked = 0;
    const slow = createServer((_, answer) => {
      asked += 1;
      const reply = () => answer.end('{"model_path":"m","weight_version":"w"}');
      if (asked === 1) waiting.once('answer', reply);
      else reply();
    });
    opened.add({
      close: () =>
        new Promise((done) => {
          slow.close(done).closeAllConnections();
        }),
    });
    await new Promise<void>((listening) => slow.listen(0, '127.0.0.1', listening));
    const door = await open({
      OPENCLAW_RL_SERVER_BASE_URL: `http://127.0.0.1:${(slow.address() as AddressInfo).port}`,
    });
    const begun = begin(door);
    await until(() => asked > 0, { what: 'the engine is asked what it is' });
    expect((await state()).gate.state).toBe('serving');
    waiting.emit('answer');
    expect(await begun).toMatchObject({ status: 200 });
    expect((await state()).gate.state).toBe('updating');
  });

  it('gives up engines that do not take the weights within load_timeout_s', async () => {
    engine.set({ loadMs: 5000 });
    const door = await open({ OPENCLAW_RL_GATE_LOAD_TIMEOUT_S: '0.1' });
    const { token } = (await begin(door)).body;
    expect(await on(door, token, 'commit', { weights_path: '/w' })).toMatchObject({
      status: 502,
      body: { error: { message: expect.stringContaining('100 ms') } },
    });
    expect(await on(door, token, 'abort')).toMatchObject({ body: { outcome: 'aborted' } });
  });

  it('holds the gate for gate.lease_s where the trainer names no time', async () => {
    const door = await open({ OPENCLAW_RL_GATE_LEASE_S: '7' });
    const { token, expires_at } = (await begin(door)).body;
    const { gate } = await state();
    expect(expires_at - gate.update!.startedAt).toBe(7000);
    const extended = await on(door, token, 'extend');
    expect(extended.body.expires_at).toBeGreaterThanOrEqual(expires_at);
  });

  it('hands out nothing older than rl.max_staleness, also after a restart, and counts it', async () => {
    const door = await open({ OPENCLAW_RL_RL_MAX_STALENESS: '1' });
    const { lease_id } = await lease(door, 1);
    await post(door.url, `/v1/samples/leases/${lease_id}/nack`, request());
    for (const version of [1, 2]) {
      const { token } = (await begin(door)).body;
      await on(door, token, 'commit', { weights_path: `/w/${version}` });
      await serves(version);
    }
    await door.close();
    const restarted = await open({ OPENCLAW_RL_RL_MAX_STALENESS: '1' });
    // Nobody can lease it, so it does not fill a batch either.
    expect((await get(restarted.url, '/v1/stats')).body).toMatchObject({ waiting: 0, batch: { waiting: 0 } });
    expect((await post(restarted.url, '/v1/samples/lease', request())).body.lease_id).toBeNull();
    expect((await get(restarted.url, '/v1/policy')).body.stale).toBe(1);
  });

  it('asks once more for the age of samples where the training begins behind the closed gate', async () => {
    const shared = { NUM_GPUS: '1', OPENCLAW_RL_SLIME_COLOCATE: 'true', OPENCLAW_RL_RL_MAX_STALENESS: '0' };
    const door = await open(shared);
    const { lease_id } = await lease(door, 1);
    const { token } = (await begin(door)).body;
    await on(door, token, 'commit', { weights_path: '/w' });
    expect(await begin(door, { lease_ids: [lease_id] })).toMatchObject({
      status: 409,
      body: { error: { code: 'lease_stale' } },
    });
  });
});
