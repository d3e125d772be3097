import type { Bus } from '@app/bus';
import { TurnCompleted } from '@app/contracts';
import {
  nextLogProbs,
  startEngineDouble,
  startNatsServer,
  until,
  type EngineDouble,
  type NatsServer,
} from '@app/testing';
import { Opened } from '../support/opened';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { connectBus, get, post, startSubmitter, type Submitter } from './submitter-harness';

const CHAT = '/v1/chat/completions';
const MESSAGES = [{ role: 'user', content: 'hello' }];

/** A promise and what resolves it. */
const latch = (): { promise: Promise<void>; open: () => void } => {
  let open = (): void => undefined;
  const promise = new Promise<void>((resolve) => (open = resolve));
  return { promise, open };
};

describe('chats through weight updates', () => {
  const opened = new Opened();
  let nats: NatsServer;
  let bus: Bus;
  let engine: EngineDouble;
  let door: Submitter;
  let names = 0;

  const env = (): Record<string, string> => ({
    NATS_URL: nats.url,
    OPENCLAW_RL_NATS_STORE_GB: '1',
    OPENCLAW_RL_SERVER_BASE_URL: engine.url,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
  });
  const gateway = async (more: Record<string, string> = {}): Promise<TestGateway> =>
    opened.add(await startGateway({ ...env(), ...more }));
  const begin = async (more: Record<string, unknown> = {}): Promise<string> => {
    const answer = await post(door.url, '/v1/policy/updates', {
      request_id: `r${(names += 1)}`,
      trainer: 't',
      ...more,
    });
    expect(answer.status).toBe(200);
    return answer.body.token;
  };
  const commit = async (token: string): Promise<void> => {
    const answer = await post(door.url, `/v1/policy/updates/${token}/commit`, { weights_path: `/w/${token}` });
    expect(answer.status).toBe(200);
  };
  const isClosedAt = async ({ url }: TestGateway): Promise<boolean> =>
    (await get(url, '/readyz')).body.gate === 'closed';
  const closed = (at: TestGateway) => until(() => isClosedAt(at), { what: 'the gateway sees the closed gate' });
  const completed = (turnId: string) =>
    until(() => bus.read(TurnCompleted, turnId), { what: `turn ${turnId} is stored` });

  beforeEach(async () => {
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    engine = opened.add(await startEngineDouble());
    door = opened.add(await startSubmitter(nats.url, env()));
  });
  afterEach(() => opened.close());

  it('lets a running stream stand and go on, and says which tokens are of which version', async () => {
    const { url, ...at } = await gateway();
    const hold = latch();
    engine.script({ content: 'one two three four five six', hold: hold.promise, holdAfterTokens: 2 });
    const response = await at.post(CHAT, { messages: MESSAGES, stream: true });
    const text = response.text();
    await until(() => engine.chats()[0]?.state === 'open', { what: 'the answer runs' });
    const token = await begin();
    await closed({ url, ...at });
    hold.open();
    await commit(token);
    expect(await text).toContain('[DONE]');
    const { body } = await completed(response.headers.get('x-rl-turn-id')!);
    const { start, end, spans } = body.head.policyVersion;
    expect([start, end]).toEqual([0, 1]);
    expect(spans?.map(({ version }) => version)).toEqual([0, 1]);
    expect(spans?.[0]?.tokens).toBe(2);
    expect(spans?.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(body.arrays.responseIds?.length);
    expect(body.head.weightVersions).toEqual(['default', '1-1']);
    // Each token has the log-prob of the weights that made it, by the model apart from everything that is tested.
    const { promptIds, responseIds, logProbs } = body.arrays;
    const made = spans!.flatMap(({ tokens }, i) => Array<string>(tokens).fill(body.head.weightVersions[i]!));
    made.forEach((weights, i) => {
      const before = [...promptIds!, ...responseIds!.slice(0, i)];
      expect(logProbs![i]).toBeCloseTo(nextLogProbs(weights, before)[responseIds![i]!]!, 9);
    });
  });

  it('holds a request without a byte, side turns as well, and serves it with the new weights', async () => {
    const at = await gateway();
    const token = await begin();
    await closed(at);
    const pending = [
      at.post(CHAT, { messages: MESSAGES }),
      at.post(CHAT, { messages: MESSAGES }, { 'x-turn-type': 'side' }),
    ];
    let settled = 0;
    for (const each of pending) void each.then(() => (settled += 1));
    await until(async () => (await (await fetch(`${at.url}/metrics`)).text()).includes('chat_in_flight 2'), {
      what: 'both wait',
    });
    expect(settled).toBe(0);
    expect(engine.chats()).toHaveLength(0);
    await commit(token);
    for (const response of await Promise.all(pending)) {
      expect(response.status).toBe(200);
      const { body } = await completed(response.headers.get('x-rl-turn-id')!);
      expect(body.head.policyVersion).toEqual({ start: 1, end: 1 });
    }
    const metrics = await (await fetch(`${at.url}/metrics`)).text();
    expect(metrics).toContain('openclaw_rl_gate_held_seconds_count{outcome="served"} 2');
  });

  it('answers 503 with Retry-After past hold_s, and records no turn', async () => {
    const at = await gateway({ OPENCLAW_RL_GATE_HOLD_S: '0.05' });
    const token = await begin();
    await closed(at);
    const response = await at.post(CHAT, { messages: MESSAGES });
    expect(response.status).toBe(503);
    expect(response.headers.get('retry-after')).toBe('10');
    expect(response.headers.get('x-rl-turn-id')).toBeNull();
    expect(await response.json()).toMatchObject({
      detail: 'submission paused for weight update',
      error: { code: 'weight_update', type: 'server_error' },
    });
    expect((await bus.connection.current().jsm.streams.info('RL_TURNS')).state.messages).toBe(0);
    await commit(token);
  });

  it('keeps a stream open with hold_streams, past hold_s, and serves it or ends it with an error event', async () => {
    const at = await gateway({
      OPENCLAW_RL_GATE_HOLD_S: '0.01',
      OPENCLAW_RL_GATE_HOLD_STREAMS: 'true',
      OPENCLAW_RL_GATE_HOLD_MAX_S: '30',
    });
    const hasty = await gateway({ OPENCLAW_RL_GATE_HOLD_STREAMS: 'true', OPENCLAW_RL_GATE_HOLD_MAX_S: '0.05' });
    const token = await begin();
    await Promise.all([closed(at), closed(hasty)]);
    const waiting = await at.post(CHAT, { messages: MESSAGES, stream: true });
    expect(waiting.status).toBe(200);
    expect(waiting.headers.get('content-type')).toBe('text/event-stream');
    expect(waiting.headers.get('x-rl-turn-id')).toMatch(/^[-\w]+$/);
    expect((await at.post(CHAT, { messages: MESSAGES })).status).toBe(503);

    const refused = await (await hasty.post(CHAT, { messages: MESSAGES, stream: true })).text();
    expect(JSON.parse(refused.slice('data: '.length))).toMatchObject({ error: { code: 'weight_update' } });
    await commit(token);
    const text = await waiting.text();
    expect(text).toContain('[DONE]');
    expect(text).not.toContain('error');
  });

  it('tells a stream that was held open of a model that fails', async () => {
    const at = await gateway({ OPENCLAW_RL_GATE_HOLD_STREAMS: 'true' });
    engine.script({ status: 429, message: 'slow down' });
    const token = await begin();
    await closed(at);
    const waiting = await at.post(CHAT, { messages: MESSAGES, stream: true });
    await commit(token);
    expect(JSON.parse((await waiting.text()).slice('data: '.length))).toMatchObject({
      error: { message: 'slow down' },
    });
  });

  it('closes no stream over a silence that is the update’s own', async () => {
    const at = await gateway({ OPENCLAW_RL_GATEWAY_IDLE_TIMEOUT_S: '2' });
    engine.set({ loadMs: 3000 });
    const hold = latch();
    engine.script({ content: 'one two three', hold: hold.promise, holdAfterTokens: 1 });
    const response = await at.post(CHAT, { messages: MESSAGES, stream: true });
    const token = await begin();
    await closed(at);
    hold.open();
    await commit(token);
    expect(await response.text()).toContain('[DONE]');
  });

  it('serves on while NATS is away, and opens when the lease would have ended', async () => {
    const at = await gateway();
    await begin({ lease_ms: 1500 });
    await closed(at);
    await nats.kill();
    const response = at.post(CHAT, { messages: MESSAGES });
    // The engine still stands: with the bus away nobody can know that its trainer is gone.
    await fetch(`${engine.url}/continue_generation`, { method: 'POST', body: '{}' });
    expect((await response).status).toBe(200);
    await nats.restart();
  });

  it('counts a request that runs until its answer is whole, for an update that has to wait for it', async () => {
    engine.set({ pauseModes: [] });
    const at = await gateway();
    const hold = latch();
    engine.script({ content: 'one two', hold: hold.promise, holdAfterTokens: 1 });
    const running = at.post(CHAT, { messages: MESSAGES });
    await until(() => engine.chats().length === 1, { what: 'the answer runs' });
    const begun = begin();
    await closed(at);
    expect((await get(door.url, '/v1/policy')).body.gate.state).toBe('draining');
    hold.open();
    expect((await running).status).toBe(200);
    await commit(await begun);
    expect((await get(door.url, '/v1/policy')).body.policy_version).toBe(1);
  });

  it('says of weights that were changed past the door how to take them over, and trains on what follows', async () => {
    const at = await gateway({ OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.1' });
    const outcomeOf = async (): Promise<unknown> => {
      const answer = await at.post(CHAT, { messages: MESSAGES });
      const { info } = await completed(answer.headers.get('x-rl-turn-id')!);
      return info.exclusion;
    };
    const readiness = async (): Promise<any> => (await get(at.url, '/readyz')).body;
    await commit(await begin());
    await until(async () => (await readiness()).gate === 'open', { what: 'the gate is open' });
    expect(await outcomeOf()).toBeUndefined();
    engine.set({ weightVersion: 'mine' });
    const { remedy } = await until(async () => (await readiness()).engines?.[0], { what: 'it is seen' });
    expect(await outcomeOf()).toBe('incomplete');
    const [route, body] = [/POST (\S+),/.exec(remedy)?.[1], /commit with (.*)$/.exec(remedy)?.[1]];
    const { token } = (await post(door.url, route!, { request_id: 'r', trainer: 'operator' })).body;
    const taken = await post(door.url, `${route}/${token}/commit`, JSON.parse(body!));
    expect(taken.body).toMatchObject({ policy_version: 2, engine_version: 'mine' });
    await until(async () => (await readiness()).status === 'ok', { what: 'all is well' });
    expect(await outcomeOf()).toBeUndefined();
  });

  it('shows sixteen streaming clients no error, however often the weights change', async () => {
    const at = await gateway();
    engine.set({ loadMs: 20 });
    engine.script(() => ({ content: 'word '.repeat(30), delayMs: 2 }));
    let goesOn = true;
    const client = async (): Promise<number> => {
      let served = 0;
      while (goesOn) {
        const response = await at.post(CHAT, { messages: MESSAGES, stream: true });
        expect(response.status).toBe(200);
        const text = await response.text();
        expect(text).toContain('[DONE]');
        expect(text).not.toContain('"error"');
        served += 1;
      }
      return served;
    };
    const clients = Array.from({ length: 16 }, client);
    for (let update = 1; update <= 8; update += 1) await commit(await begin());
    goesOn = false;
    const served = await Promise.all(clients);
    expect(Math.min(...served)).toBeGreaterThan(0);
    const { body } = await get(door.url, '/v1/policy');
    expect(body.updates.map((each: any) => each.policy_version)).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    const metrics = await (await fetch(`${at.url}/metrics`)).text();
    expect(metrics).toMatch(/openclaw_rl_new_weights_seconds_count [1-8]\n/);
  });
});
