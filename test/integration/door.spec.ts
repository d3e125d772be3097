import { once } from 'node:events';
import { Logger } from '@nestjs/common';
import { Bus } from '@app/bus';
import { BUCKETS, STREAMS, TurnSettled } from '@app/contracts';
import { PolicyStore } from '@app/pools';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { connectBus, get, post, publishTurn, settledOf, startSubmitter, type Submitter } from './submitter-harness';

const sequences = (answer: { body: any }): number[] => answer.body.samples.map((sample: any) => sample.index);

describe("the trainer's door", () => {
  const opened = new Opened();
  let nats: NatsServer;
  let bus: Bus;
  let names = 0;

  const open = async (env: Record<string, string> = {}): Promise<Submitter> => {
    const door = await startSubmitter(nats.url, env);
    return opened.add(door);
  };
  /** Turns whose samples come in the order of their names: each is settled before the next is judged. */
  const publish = async (count: number): Promise<string[]> => {
    const turnIds = Array.from({ length: count }, () => `turn-${(names += 1)}`);
    for (const turnId of turnIds) {
      await publishTurn(bus, turnId);
      await until(() => settledOf(bus, turnId), { what: `${turnId} is settled` });
    }
    return turnIds;
  };
  const lease = (door: Submitter, body: Record<string, unknown> = {}) =>
    post(door.url, '/v1/samples/lease', { request_id: `request-${(names += 1)}`, ...body });
  const onLease = (door: Submitter, leaseId: string, operation: string, body: Record<string, unknown> = {}) =>
    post(door.url, `/v1/samples/leases/${leaseId}/${operation}`, { request_id: `request-${(names += 1)}`, ...body });

  beforeEach(async () => {
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
  });
  afterEach(() => opened.close());

  it('hands out slime-compatible samples, oldest first, and never again once acknowledged', async () => {
    const door = await open();
    const [first] = await publish(3);
    const leased = await lease(door, { max: 2 });
    expect(leased.status).toBe(200);
    expect(leased.body.samples).toHaveLength(2);
    expect(leased.body.samples[0]).toMatchObject({
      tokens: [1, 2, 3, 4, 5],
      response_length: 2,
      loss_mask: [1, 1],
      rollout_log_probs: [-0.1, -0.25],
      reward: { score: 1 },
      status: 'completed',
      response: `answer of ${first}`,
      metadata: { turn_id: first, sampling: { temperature: 0.7 }, reward_source: 'votes', votes: [1] },
    });
    expect(leased.body.samples[0].index).toBe(leased.body.samples[0].group_index);
    expect(sequences(leased)).toEqual(sequences(leased).toSorted((a, b) => a - b));
    expect(leased.body.expires_at).toBeGreaterThan(Date.now());
    expect(leased.body.policy_version).toBe(0);

    const acked = await onLease(door, leased.body.lease_id, 'ack');
    expect(acked).toEqual({
      status: 200,
      body: { lease_id: leased.body.lease_id, policy_version: 0, samples: 2 },
    });
    const rest = await lease(door);
    expect(rest.body.samples).toHaveLength(1);
    const empty = await lease(door);
    expect(empty).toEqual({
      status: 200,
      body: { lease_id: null, expires_at: null, policy_version: 0, samples: [] },
    });
    expect((await get(door.url, '/v1/stats')).body).toMatchObject({
      policy_version: 0,
      gate: { state: 'serving', closed: false },
      waiting: 0,
      leased: 1,
      done: 2,
      batch: { size: 16, waiting: 0, text: '0 of 16' },
      outcomes: { sample: 3 },
      queue_size: 1024,
    });
  });

  it('answers repeated requests the same, from another replica and after a restart', async () => {
    const [one, two] = [await open(), await open()];
    await publish(2);
    const body = { request_id: 'lease-once', max: 2, wait_ms: 5000 };
    const first = await lease(one, body);
    expect(first.body.samples).toHaveLength(2);
    expect(await lease(two, body)).toEqual(first);
    await one.close();
    const three = await open();
    expect(await lease(three, body)).toEqual(first);

    const acked = await onLease(two, first.body.lease_id, 'ack', { request_id: 'ack-once' });
    expect(acked.status).toBe(200);
    expect(await onLease(three, first.body.lease_id, 'ack', { request_id: 'ack-once' })).toEqual(acked);
    const reused = await onLease(three, first.body.lease_id, 'nack', { request_id: 'ack-once' });
    expect(reused).toMatchObject({ status: 409, body: { error: { code: 'request_id_reused' } } });
    expect(await onLease(three, first.body.lease_id, 'nack')).toMatchObject({
      status: 409,
      body: { error: { code: 'lease_finished', type: 'invalid_request_error', message: expect.any(String) } },
    });
  });

  it('takes the same request id of another trainer or another key for another request', async () => {
    const door = await open({ OPENCLAW_RL_DOOR_API_KEYS: 'one-key,other-key' });
    await publish(3);
    const ask = (key: string, trainer: string, max = 1) =>
      post(door.url, '/v1/samples/lease', { request_id: '1', trainer, max }, key);
    const leases = [await ask('one-key', 'a'), await ask('one-key', 'b'), await ask('other-key', 'a')];
    expect(new Set(leases.flatMap(sequences)).size).toBe(3);
    expect(await ask('one-key', 'a')).toEqual(leases[0]);
    expect(await ask('one-key', 'a', 2)).toMatchObject({ status: 409, body: { error: { code: 'request_id_reused' } } });
    for (const { body } of leases) {
      const ack = await post(door.url, `/v1/samples/leases/${body.lease_id}/ack`, { request_id: '2' }, 'one-key');
      expect(ack).toMatchObject({ status: 200, body: { samples: 1 } });
    }
    expect(await ask('one-key', 'b')).toMatchObject({ status: 409, body: { error: { code: 'lease_finished' } } });
    const { answers } = await new PolicyStore(bus).read();
    expect(JSON.stringify(answers)).not.toContain('one-key');
  });

  it('gives two trainers at two replicas different samples, and refuses a third', async () => {
    const env = { OPENCLAW_RL_SLIME_NUM_WORKERS: '2' };
    const [one, two] = [await open(env), await open(env)];
    await publish(4);
    const [a, b] = await Promise.all([lease(one, { trainer: 'a', max: 2 }), lease(two, { trainer: 'b', max: 2 })]);
    expect(new Set([...sequences(a), ...sequences(b)]).size).toBe(4);
    expect(await lease(two, { trainer: 'c' })).toMatchObject({
      status: 429,
      body: { error: { code: 'too_many_trainers' } },
    });
  });

  it('hands out again what was given back, and what was not acknowledged in time', async () => {
    const door = await open();
    await publish(2);
    const first = await lease(door);
    await onLease(door, first.body.lease_id, 'nack');
    const second = await lease(door, { lease_ms: 1, trainer: 'slow' });
    expect(sequences(second)).toEqual(sequences(first));
    const third = await until(
      async () => {
        const answer = await lease(door);
        return answer.body.samples.length === 2 && answer;
      },
      { what: 'the expired samples are handed out again' },
    );
    expect(await onLease(door, second.body.lease_id, 'ack')).toMatchObject({
      status: 409,
      body: { error: { code: 'lease_expired' } },
    });
    expect((await onLease(door, third.body.lease_id, 'ack')).status).toBe(200);
    expect(await onLease(door, 'no-such-lease', 'ack')).toMatchObject({
      status: 404,
      body: { error: { code: 'unknown_lease' } },
    });
  });

  it('acknowledges a lease after its end as long as nobody else has got its samples', async () => {
    const door = await open();
    await publish(1);
    const ended = await lease(door, { lease_ms: 1 });
    await until(async () => (await get(door.url, '/v1/stats')).body.waiting === 1, { what: 'the lease ends' });
    expect(await onLease(door, ended.body.lease_id, 'extend')).toMatchObject({ status: 409 });
    expect((await onLease(door, ended.body.lease_id, 'ack')).status).toBe(200);
    expect((await lease(door)).body.lease_id).toBeNull();
  });

  it('lets a lease hold for door.lease_s, and extends it by as much', async () => {
    const door = await open({ OPENCLAW_RL_DOOR_LEASE_S: '1000' });
    await publish(1);
    const before = Date.now();
    const { lease_id: id, expires_at: end } = (await lease(door)).body;
    const extended = (await onLease(door, id, 'extend')).body.expires_at;
    const after = Date.now();
    for (const each of [end, extended]) {
      expect(each).toBeGreaterThanOrEqual(before + 990_000);
      expect(each).toBeLessThanOrEqual(after + 1_010_000);
    }
  });

  it.each([
    [{ min: 5, max: 2 }, 'min: must be at most max (2), got 5'],
    [{ min: 17 }, 'min: must be at most rl.rollout_steps (16) where max is left out, got 17'],
    [{ max: 'x' }, 'max: must be a whole number from 1 to 4096, got a text of length 1'],
    [
      { maximum: 3 },
      'maximum: is not a field of this request, which are max, min, wait_ms, lease_ms, trainer, request_id',
    ],
  ])('says of %j what is wrong, and what is allowed', async (body, message) => {
    expect(await lease(await open(), body)).toMatchObject({ status: 400, body: { error: { message } } });
  });

  it('warns where keys and samples can be overheard', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await open({ OPENCLAW_RL_DOOR_HOST: '0.0.0.0', OPENCLAW_RL_DOOR_API_KEYS: 'key' });
    expect(warn.mock.calls.flat().join()).toContain('listening on 0.0.0.0 with plain HTTP: keys and samples');
    warn.mockClear();
    await open();
    expect(warn.mock.calls.flat().join()).not.toContain('plain HTTP');
    warn.mockRestore();
  });

  it('names the limit that a body is over', async () => {
    const answer = await lease(await open(), { trainer: 'x'.repeat(1_100_000) });
    expect(answer).toMatchObject({ status: 413, body: { error: { code: 'body_too_large' } } });
    expect(answer.body.error.message).toContain('1048576 bytes');
  });

  it('keeps a lease that is extended', async () => {
    const door = await open();
    await publish(1);
    const leased = await lease(door, { lease_ms: 2000 });
    const extended = await onLease(door, leased.body.lease_id, 'extend', { lease_ms: 60_000 });
    expect(extended.status).toBe(200);
    expect(extended.body.expires_at).toBeGreaterThan(Number(leased.body.expires_at) + 50_000);
    const waited = await lease(door, { wait_ms: 2500 });
    expect(waited.body.samples).toEqual([]);
    expect((await onLease(door, leased.body.lease_id, 'ack')).body.samples).toBe(1);
  });

  it('waits for a whole batch, and takes what is there when the time is over', async () => {
    const door = await open();
    const waiting = lease(door, { max: 2, min: 2, wait_ms: 20_000 });
    await publish(2);
    expect((await waiting).body.samples).toHaveLength(2);

    await publish(1);
    expect((await lease(door, { max: 2, min: 2, wait_ms: 50 })).body.lease_id).toBeNull();
    expect((await lease(door, { max: 2, wait_ms: 50 })).body.samples).toHaveLength(1);
  });

  it('wakes a waiting trainer when a lease at another replica expires', async () => {
    const [one, two] = [await open(), await open()];
    await publish(1);
    await lease(one, { lease_ms: 700 });
    const begun = performance.now();
    const waited = await lease(two, { max: 1, wait_ms: 10_000 });
    expect(waited.body.samples).toHaveLength(1);
    expect(performance.now() - begun).toBeLessThan(4000);
  });

  it('gives no lease to a client that has gone', async () => {
    const door = await open();
    const arrived = once(door.app.getHttpServer(), 'request');
    const gone = new AbortController();
    const request = fetch(`${door.url}/v1/samples/lease`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ request_id: 'gone', max: 1, wait_ms: 60_000 }),
      signal: gone.signal,
    });
    const [, response] = await arrived;
    gone.abort();
    await expect(request).rejects.toThrow();
    await until(() => response.closed, { what: 'the server has seen the client go' });
    await publish(1);
    expect((await lease(door)).body.samples).toHaveLength(1);
    expect((await new PolicyStore(bus).read()).leases).toHaveLength(1);
  });

  it('never breaks a lease over a sample that is no longer stored', async () => {
    const door = await open();
    const [first, ...others] = await publish(3);
    expect((await get(door.url, '/v1/stats')).body.waiting).toBe(3);
    for (const turnId of others) await bus.remove('RL_SAMPLES', TurnSettled.subject(turnId));
    const leased = await lease(door);
    expect(leased.body.samples.map((sample: any) => sample.metadata.turn_id)).toEqual([first]);
    await onLease(door, leased.body.lease_id, 'ack');
    await publish(1);
    const next = await lease(door);
    expect(sequences(next)).toEqual([4]);
    await onLease(door, next.body.lease_id, 'ack');
    expect((await new PolicyStore(bus).read()).done).toEqual([[1, 4]]);
  });

  it('keeps leases and samples over a crash of the bus, and answers 503 meanwhile', async () => {
    const door = await open();
    await publish(2);
    const leased = await lease(door, { max: 1 });
    await nats.kill();
    expect(await lease(door)).toMatchObject({ status: 503, body: { error: { code: 'bus_unavailable' } } });
    await nats.restart();
    const acked = await until(
      async () => {
        const answer = await onLease(door, leased.body.lease_id, 'ack', { request_id: 'ack' });
        return answer.status === 200 && answer;
      },
      { what: 'the lease is acknowledged', timeoutMs: 15_000 },
    );
    expect(acked.body.samples).toBe(1);
    const rest = await until(
      async () => {
        const answer = await lease(door);
        return answer.status === 200 && answer;
      },
      { what: 'the door is open again', timeoutMs: 15_000 },
    );
    expect(rest.body.samples).toHaveLength(1);
    expect(sequences(rest)).not.toEqual(sequences(leased));
    const [later] = await publish(1);
    const next = await lease(door, { max: 1, wait_ms: 5000 });
    expect(next.body.samples[0].metadata.turn_id).toBe(later);
  });

  it('stops while the bus is away', async () => {
    const door = await open();
    await publish(1);
    await nats.kill();
    expect((await fetch(`${door.url}/readyz`)).status).toBe(503);
    await door.close();
    await expect(fetch(`${door.url}/healthz`)).rejects.toThrow();
    await nats.restart();
  });

  it('starts anew with a stream of samples that was created anew', async () => {
    const door = await open();
    await publish(2);
    const leased = await lease(door);
    await onLease(door, leased.body.lease_id, 'ack');
    const { jsm } = bus.connection.current();
    const { config } = await jsm.streams.info('RL_SAMPLES');
    await jsm.streams.delete('RL_SAMPLES');
    // Its description says when it was created.
    await jsm.streams.add({ ...config, description: undefined, subjects: [...STREAMS.RL_SAMPLES.subjects] });
    const [turnId] = await publish(1);
    const answer = await until(
      async () => {
        const next = await lease(door, { wait_ms: 500 });
        return next.status === 200 && next.body.samples.length === 1 && next;
      },
      { what: 'the sample of the new stream is handed out', timeoutMs: 15_000 },
    );
    expect(answer.body.samples[0].metadata.turn_id).toBe(turnId);
  });

  it('opens with its own keys only, and keeps health open', async () => {
    const door = await open({
      OPENCLAW_RL_DOOR_API_KEYS: 'door-key,other-key',
      OPENCLAW_RL_GATEWAY_API_KEYS: 'chat-key',
    });
    const body = { request_id: 'r' };
    for (const key of [undefined, 'chat-key', 'door-ke', 'door-key2']) {
      expect(await post(door.url, '/v1/samples/lease', body, key)).toMatchObject({
        status: 401,
        body: { error: { type: 'authentication_error', code: 'invalid_api_key' } },
      });
    }
    for (const key of ['door-key', 'other-key']) {
      expect((await post(door.url, '/v1/samples/lease', body, key)).status).toBe(200);
    }
    expect((await get(door.url, '/v1/stats')).status).toBe(401);
    await until(async () => (await fetch(`${door.url}/readyz`)).status === 200, { what: 'the app is ready' });
    expect(await (await fetch(`${door.url}/metrics`)).text()).toContain(
      'openclaw_rl_lease_operations_total{operation="lease",status="ok"} 2',
    );
  });

  it('refuses malformed bodies with 400, naming what is wrong', async () => {
    const door = await open();
    const cases: [unknown, RegExp][] = [
      ['{', /JSON/],
      [{}, /request_id/],
      [{ request_id: 'a b' }, /request_id/],
      [{ request_id: 'r', max: 0 }, /max/],
      [{ request_id: 'r', wait_ms: '5' }, /wait_ms/],
      [{ request_id: 'r', lease: 5 }, /lease/],
    ];
    for (const [body, message] of cases) {
      expect(await post(door.url, '/v1/samples/lease', body)).toMatchObject({
        status: 400,
        body: { error: { type: 'invalid_request_error', message: expect.stringMatching(message) } },
      });
    }
  });

  it('shows a gate that somebody has closed', async () => {
    const door = await open();
    const gate = { state: 'draining', until: Date.now() + 60_000, holder: 'test' } as const;
    await new PolicyStore(bus).change((state) => ({ state: { ...state, gate }, result: undefined }));
    const bucket = await bus.bucket(BUCKETS.policy);
    expect((await bucket.get('state'))!.string()).toContain('draining');
    expect((await get(door.url, '/v1/stats')).body.gate).toEqual({ state: 'draining', closed: true });
  });
});
