import { createServer, request as httpRequest, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { Bus } from '@app/bus';
import { BUCKETS, TurnArrived, TurnCompleted, TurnSettled } from '@app/contracts';
import { PROBE_NAME } from '@app/engines';
import { INITIAL_POLICY_STATE, POLICY_KEY } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { startFullListener } from '../support/full-listener';
import { startGateway, type TestGateway } from '../support/start-gateway';

const chat = (content: string, more: object = {}) => ({
  model: 'openclaw-rl',
  messages: [{ role: 'user', content }],
  ...more,
});

const eventsOf = (text: string) =>
  text
    .split('\n\n')
    .filter((event) => event.startsWith('data: '))
    .map((event) => event.slice(6));

const chunksOf = (text: string) =>
  eventsOf(text)
    .filter((data) => data !== '[DONE]')
    .map((data) => JSON.parse(data));

describe('gateway', () => {
  let nats: NatsServer;
  let engine: EngineDouble;
  let gateway: TestGateway;
  let bus: Bus;

  const start = (env: Record<string, string> = {}) =>
    startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      ...env,
    });

  const completed = (turnId: string) =>
    until(() => bus.read(TurnCompleted, turnId), { what: `turn.completed of ${turnId}` });

  const settled = (turnId: string) => until(() => bus.read(TurnSettled, turnId), { what: `turn.settled of ${turnId}` });

  beforeAll(async () => {
    nats = await startNatsServer();
    engine = await startEngineDouble({});
    gateway = await start();
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
  });

  afterAll(async () => {
    // First: a gateway waits for answers that a failed test has left held.
    await engine.close();
    await gateway.close();
    await bus.close();
    await nats.stop();
  });

  it('serves a whole answer without the fields that only it asked for, and stores exact ids', async () => {
    engine.script({ content: 'Hello there.' });
    const response = await gateway.post('/v1/chat/completions', chat('hi', { seed: 1 }));
    const answer = await response.json();
    expect(response.status).toBe(200);
    expect(answer.model).toBe('openclaw-rl');
    expect(answer.choices[0].message.content).toBe('Hello there.');
    expect(answer.choices[0].logprobs).toBeNull();
    expect(answer.sglext).toBeUndefined();

    const { info, body } = await completed(response.headers.get('x-rl-turn-id')!);
    expect(info.exclusion).toBeUndefined();
    expect(body.head.route).toBe('sglext');
    expect(body.arrays.responseIds!.length).toBe(answer.usage.completion_tokens);
    expect(body.arrays.promptIds!.length).toBe(answer.usage.prompt_tokens);
    expect(body.arrays.logProbs!.length).toBe(answer.usage.completion_tokens);
    expect(body.head.response!.content).toBe('Hello there.');
    expect(body.head.messages).toEqual([{ role: 'user', content: 'hi' }]);
  });

  it('streams events unchanged but for our additions', async () => {
    const scripted = {
      reasoning: 'Think.',
      content: 'See.',
      toolCalls: [
        { id: 'call_aa', name: 'read', arguments: { path: 'a' } },
        { id: 'call_bb', name: 'ls', arguments: {} },
      ],
    };
    const tools = ['read', 'ls'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));
    const body = chat('look', { stream: true, stream_options: { include_usage: true }, tools });
    engine.script(scripted);
    const direct = await fetch(`${engine.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, model: 'double' }),
    });
    const expected = chunksOf(await direct.text());
    engine.script(scripted);
    const response = await gateway.post('/v1/chat/completions', body);
    const text = await response.text();
    const strip = (chunk: Record<string, unknown>) => ({ ...chunk, id: '', created: 0, model: '' });
    expect(response.headers.get('content-type')).toContain('text/event-stream');
    expect(chunksOf(text).map(strip)).toEqual(expected.map(strip));
    expect(eventsOf(text).at(-1)).toBe('[DONE]');
    expect(new Set(chunksOf(text).map((chunk) => chunk.model))).toEqual(new Set(['openclaw-rl']));

    const { body: stored } = await completed(response.headers.get('x-rl-turn-id')!);
    expect(stored.head.response!.reasoning_content).toContain('Think.');
    expect(stored.head.response!.tool_calls).toHaveLength(2);
    expect(stored.arrays.responseIds!.length).toBe(stored.arrays.logProbs!.length);
    expect(stored.arrays.responseIds!.length).toBeGreaterThan(0);
  });

  it('leaves log-probs and ids to a client that asks for them', async () => {
    engine.script({ content: 'Yes.' });
    const response = await gateway.post(
      '/v1/chat/completions',
      chat('hi', { logprobs: true, return_output_ids_in_sglext: true }),
    );
    const answer = await response.json();
    expect(answer.choices[0].logprobs.content.length).toBe(answer.usage.completion_tokens);
    expect(answer.sglext.output_ids[0].length).toBe(answer.usage.completion_tokens);
    expect(answer.sglext.input_ids).toBeUndefined();
  });

  it('sends unknown fields upstream byte for byte and takes its own out', async () => {
    const raw =
      '{"model":"openclaw-rl","seed":12345678901234567890,"x_new":{"a":1.0,"b":1e2},' +
      '"messages":[{"role":"user","content":"h\\u00e9"}],"session_id":"s","turn_type":"main","session_done":false}';
    const response = await gateway.post('/v1/chat/completions', raw);
    expect(response.status).toBe(200);
    const seen = engine.chats('policy').at(-1)!;
    expect(seen.body.model).toBe('double');
    expect(seen.body).not.toHaveProperty('session_id');
    expect(seen.body).not.toHaveProperty('turn_type');
    expect(seen.body).not.toHaveProperty('session_done');
    expect(seen.body.x_new).toEqual({ a: 1, b: 100 });
  });

  it('publishes turn.arrived before the model has answered', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    engine.script({ content: 'Late.', hold, holdAfterTokens: 0 });
    const id = 'held-session';
    const pending = gateway.post('/v1/chat/completions', chat('wait', { stream: true }), { 'x-session-id': id });
    const seen = await until(() => engine.chats('policy').find((r) => r.lastText === 'wait'), { what: 'the request' });
    const arrived = await until(
      async () => {
        for await (const each of bus.scan('RL_TURNS', { filter: TurnArrived.filter })) {
          const info = TurnArrived.decodeInfo({ ...each, data: new Uint8Array() });
          if ((await bus.read(TurnCompleted, info.turnId)) === null && info.namedSession !== undefined) return info;
        }
        return null;
      },
      { what: 'turn.arrived of the held turn' },
    );
    expect(seen.state).toBe('open');
    release();
    const response = await pending;
    await response.text();
    expect(response.headers.get('x-rl-turn-id')).toBe(arrived.turnId);
  });

  it('aborts upstream when the client goes, and settles the turn as undelivered', async () => {
    let release: () => void = () => undefined;
    const hold = new Promise<void>((resolve) => (release = resolve));
    engine.script({ content: 'A long answer that nobody waits for.', hold, holdAfterTokens: 2 });
    const turnId = await new Promise<string>((resolve, reject) => {
      const request = httpRequest(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      });
      request.on('response', (response) => {
        response.once('data', () => {
          request.destroy();
          resolve(String(response.headers['x-rl-turn-id']));
        });
        response.on('error', () => undefined);
      });
      request.on('error', reject);
      request.end(JSON.stringify(chat('never mind', { stream: true })));
    });
    const seen = engine.chats('policy').at(-1)!;
    await until(() => seen.state === 'aborted', { what: 'the abort upstream' });
    release();
    expect((await settled(turnId)).info).toMatchObject({ kind: 'reason', reason: 'undelivered' });
    expect((await completed(turnId)).info.exclusion).toBe('undelivered');
  });

  it.each([
    ['an answer that breaks off', { content: 'Broken off in the middle', breakAfterTokens: 3 }, 'upstream_error'],
    ['an error chunk', { content: 'Broken off in the middle', errorAfterTokens: 3 }, 'upstream_error'],
    ['a strange finish', { content: 'Stopped', finishReason: 'abort' }, 'incomplete'],
  ])('passes on %s and never trains on it', async (_, scripted, reason) => {
    engine.script(scripted);
    const response = await gateway.post('/v1/chat/completions', chat('go', { stream: true }));
    await response.text().catch(() => '');
    const { info } = await settled(response.headers.get('x-rl-turn-id')!);
    expect(info).toMatchObject({ kind: 'reason', reason });
  });

  it('passes on an upstream error with status, body and Retry-After', async () => {
    engine.script({ status: 429, headers: { 'retry-after': '7' }, message: 'slow down' });
    const response = await gateway.post('/v1/chat/completions', chat('hi'));
    expect(response.status).toBe(429);
    expect(response.headers.get('retry-after')).toBe('7');
    expect(JSON.stringify(await response.json())).toContain('slow down');
    const turnId = response.headers.get('x-rl-turn-id')!;
    expect((await settled(turnId)).info.reason).toBe('upstream_error');
    expect((await completed(turnId)).body.head.route).toBe('sglext');
  });

  it.each([
    [400, 0],
    [422, 0],
    [404, 1],
    [503, 1],
  ])('tells the operator of an engine that answers %i, unless the request is at fault', async (status, times) => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    const refusing = await startEngineDouble({});
    const front = await start({ OPENCLAW_RL_SERVER_BASE_URL: refusing.url });
    try {
      // Asked again without our fields, it says the same.
      refusing.script({ status, message: 'no' }, { status, message: 'no' });
      expect((await front.post('/v1/chat/completions', chat('hi'))).status).toBe(status);
      expect(warn.mock.calls.filter(([text]) => String(text).includes(`failed: status_${status}`))).toHaveLength(times);
    } finally {
      warn.mockRestore();
      await front.close();
      await refusing.close();
    }
  });

  it('answers malformed input with 400 and the field, before anything is forwarded', async () => {
    const before = engine.chats('policy').length;
    const response = await gateway.post('/v1/chat/completions', { messages: [{ role: 'user', content: 5 }] });
    expect(response.status).toBe(400);
    expect((await response.json()).error).toMatchObject({
      type: 'invalid_request_error',
      param: 'messages[0].content',
    });
    expect(engine.chats('policy')).toHaveLength(before);
  });

  it('lists the one served model', async () => {
    const response = await fetch(`${gateway.url}/v1/models`);
    expect((await response.json()).data.map((model: { id: string }) => model.id)).toEqual(['openclaw-rl']);
  });

  it('is called as server.served_model_name says, whatever the engine calls its weights', async () => {
    const named = await start({ OPENCLAW_RL_SERVER_SERVED_MODEL_NAME: 'our-model' });
    try {
      const list = await (await fetch(`${named.url}/v1/models`)).json();
      expect(list.data.map((model: { id: string }) => model.id)).toEqual(['our-model']);
      const whole = await (await named.post('/v1/chat/completions', chat('hi'))).json();
      const streamed = await (await named.post('/v1/chat/completions', chat('hi', { stream: true }))).text();
      const names = [whole, ...chunksOf(streamed)].map(({ model }: { model: string }) => model);
      expect(new Set(names)).toEqual(new Set(['our-model']));
    } finally {
      await named.close();
    }
  });

  it('shows the engine the key of server.api_key_env', async () => {
    const closed = await startEngineDouble({ apiKey: 'right' });
    const front = await start({
      ...{ OPENCLAW_RL_SERVER_API_KEY_ENV: 'KEY_OF_THE_ENGINE', KEY_OF_THE_ENGINE: 'right' },
      OPENCLAW_RL_SERVER_BASE_URL: closed.url,
    });
    try {
      expect((await front.post('/v1/chat/completions', chat('hi'))).status).toBe(200);
    } finally {
      await front.close();
      await closed.close();
    }
  });

  it('warns where keys and conversations can be overheard', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation();
    await (await start({ OPENCLAW_RL_GATEWAY_HOST: '0.0.0.0', OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-one' })).close();
    expect(warn.mock.calls.flat().join()).toContain('listening on 0.0.0.0 with plain HTTP: keys and conversations');
    warn.mockClear();
    await (await start()).close();
    expect(warn.mock.calls.flat().join()).not.toContain('plain HTTP');
    warn.mockRestore();
  });

  it('keeps as much for a bus that is away as gateway.capture_buffer_mb, and counts what it drops', async () => {
    const away = await startNatsServer();
    const dropped = async (base: string, megabytes: string): Promise<number> => {
      await away.kill();
      const front = await start({
        NATS_URL: away.url,
        OPENCLAW_RL_SERVER_BASE_URL: base,
        OPENCLAW_RL_GATEWAY_CAPTURE_BUFFER_MB: megabytes,
      });
      try {
        for (let turn = 0; turn < 3; turn += 1) {
          const response = await front.post('/v1/chat/completions', chat('x'.repeat(700_000)));
          expect(response.status).toBe(200);
          await response.text();
        }
        const { captureDropped } = front.app.get(Telemetry).metrics;
        const { values } = await captureDropped.get();
        return values.find(({ labels }) => labels.cause === 'buffer_full')?.value ?? 0;
      } finally {
        await away.restart();
        await front.close();
      }
    };
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] };
    const model = createServer((incoming, outgoing) => {
      incoming.resume().on('end', () => outgoing.end(JSON.stringify(answer)));
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(model.address() as AddressInfo).port}`;
    try {
      expect(await dropped(base, '1')).toBeGreaterThan(0);
      expect(await dropped(base, '64')).toBe(0);
    } finally {
      model.closeAllConnections();
      model.close();
      await away.stop();
    }
  }, 60_000);

  it.each([
    [{ outcome: 'good' }, 'outcome: must be a finite number, got a text of length 4'],
    [{ scor: 1 }, 'scor: is not a field of this request, which are turn_id, session_id, outcome, score, text'],
    [
      { turn_id: 'a', session_id: 'mine', score: 1 },
      'session_id: must be left out where turn_id is given, got a text of length 4',
    ],
    [{ turn_id: 'a', text: ' \n\t' }, 'text: must be more than white space, got a text of length 3'],
    [{ turn_id: 'a', text: ['my secret'] }, 'text: must be a text of 1 to 100000 characters, got a list of length 1'],
  ])('says of the feedback %j what is wrong, and what is allowed', async (feedback, message) => {
    const response = await gateway.post('/v1/feedback', feedback);
    expect(response.status).toBe(400);
    expect((await response.json()).error.message).toBe(message);
  });

  it('settles side turns itself', async () => {
    engine.script({ content: 'A title' });
    const response = await gateway.post('/v1/chat/completions', chat('name it'), { 'x-turn-type': 'side' });
    await response.text();
    expect((await settled(response.headers.get('x-rl-turn-id')!)).info.reason).toBe('side_turn');
  });

  it('takes heartbeats of configured words for side turns', async () => {
    const worded = await start({ OPENCLAW_RL_SESSION_HEARTBEAT_PROMPTS: 'Check the mail' });
    try {
      engine.script({ content: 'NO_REPLY' });
      const response = await worded.post('/v1/chat/completions', chat('Check the mail, please.'));
      await response.text();
      expect((await settled(response.headers.get('x-rl-turn-id')!)).info.reason).toBe('side_turn');
    } finally {
      await worded.close();
    }
  });

  it('refuses unknown keys with 401, and only its own machine without keys', async () => {
    const locked = await start({ OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-one,sk-two' });
    try {
      const refused = await locked.post('/v1/chat/completions', chat('hi'));
      expect(refused.status).toBe(401);
      expect((await refused.json()).error.type).toBe('authentication_error');
      const wrong = await locked.post('/v1/chat/completions', chat('hi'), { authorization: 'Bearer sk-three' });
      expect(wrong.status).toBe(401);
      const right = await locked.post('/v1/chat/completions', chat('hi'), { authorization: 'Bearer sk-two' });
      expect(right.status).toBe(200);
    } finally {
      await locked.close();
    }
  });

  it('answers 413 over the body limit and 429 over the concurrency limit', async () => {
    const small = await start({ OPENCLAW_RL_GATEWAY_BODY_LIMIT_MB: '1', OPENCLAW_RL_GATEWAY_MAX_CONCURRENCY: '1' });
    let release: () => void = () => undefined;
    try {
      const large = await small.post('/v1/chat/completions', chat('x'.repeat(1_100_000)));
      expect(large.status).toBe(413);
      expect((await large.json()).error).toMatchObject({
        code: 'body_too_large',
        message: 'the request body is over 1 MiB, the most that gateway.body_limit_mb allows',
      });
      engine.script({
        content: 'Slow.',
        hold: new Promise<void>((resolve) => (release = resolve)),
        holdAfterTokens: 0,
      });
      const first = small.post('/v1/chat/completions', chat('first one'));
      await until(() => engine.chats('policy').some((r) => r.lastText === 'first one'), { what: 'the first request' });
      const second = await small.post('/v1/chat/completions', chat('second'));
      expect(second.status).toBe(429);
      expect(second.headers.get('retry-after')).toBe('1');
      release();
      expect((await first).status).toBe(200);
    } finally {
      release();
      await small.close();
    }
  });

  it('answers 504 when the model takes no connection in time', async () => {
    const full = await startFullListener();
    const startWaiting = (seconds: string) =>
      start({ OPENCLAW_RL_SERVER_BASE_URL: full.url, OPENCLAW_RL_GATEWAY_CONNECT_TIMEOUT_S: seconds });
    const [patient, hasty] = [await startWaiting('600'), await startWaiting('0.5')];
    try {
      let gaveUp = false;
      const early = patient.post('/v1/chat/completions', chat('hi')).then(
        () => (gaveUp = true),
        () => undefined,
      );
      const late = await hasty.post('/v1/chat/completions', chat('hi'));
      expect(late.status).toBe(504);
      expect((await late.json()).error).toMatchObject({
        code: 'upstream_connect_timeout',
        message: 'the model did not accept a connection within 0.5 s',
      });
      expect(gaveUp).toBe(false);
      full.stop();
      await early;
    } finally {
      full.stop();
      await hasty.close();
      await patient.close();
    }
  });

  it('answers 504 when the model does not begin in time, and 502 when nobody listens', async () => {
    const hasty = await start({ OPENCLAW_RL_GATEWAY_FIRST_BYTE_TIMEOUT_S: '0.2' });
    const nobody = await start({ OPENCLAW_RL_SERVER_BASE_URL: 'http://127.0.0.1:1' });
    try {
      engine.script({ hang: true });
      const late = await hasty.post('/v1/chat/completions', chat('hi'));
      expect(late.status).toBe(504);
      const dead = await nobody.post('/v1/chat/completions', chat('hi'));
      expect(dead.status).toBe(502);
      expect((await dead.json()).error.type).toBe('server_error');
      expect((await fetch(`${nobody.url}/readyz`)).status).toBe(503);
    } finally {
      await hasty.close();
      await nobody.close();
    }
  });

  it.each([
    ['refuses log-probs from the start without them', true, 2],
    ['comes to refuse log-probs once more without, remembers it', false, 3],
  ])('asks a hosted model that %s, and collects its turns', async (_, fromTheStart, asked) => {
    const hosted = await startEngineDouble({ dialect: fromTheStart ? 'openai' : 'sglang' });
    const front = await start({ OPENCLAW_RL_SERVER_BASE_URL: hosted.url });
    try {
      hosted.set({ dialect: 'openai' });
      const first = await front.post('/v1/chat/completions', chat('one'));
      expect(first.status).toBe(200);
      await front.post('/v1/chat/completions', chat('two'));
      expect(hosted.chats('policy').filter((seen) => seen.path === '/v1/chat/completions')).toHaveLength(asked);
      const { info } = await completed(first.headers.get('x-rl-turn-id')!);
      expect(info.exclusion).toBe('no_token_ids');
    } finally {
      await front.close();
      await hosted.close();
    }
  });

  describe('with a model of any manners', () => {
    /** A server that says what `answer` says. */
    const withModel = async (
      answer: (body: Record<string, unknown>, response: ServerResponse) => void,
      test: (front: TestGateway) => Promise<void>,
    ) => {
      const model = createServer((request, response) => {
        const pieces: Buffer[] = [];
        request.on('data', (piece: Buffer) => pieces.push(piece));
        request.on('end', () => {
          const text = Buffer.concat(pieces).toString();
          // The gateway does not find out what this server can do, so it asks for what it would like.
          if (request.url !== '/v1/chat/completions' || text.includes(PROBE_NAME)) response.writeHead(404).end();
          else answer(JSON.parse(text), response);
        });
      });
      await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
      const { port } = model.address() as AddressInfo;
      const front = await start({ OPENCLAW_RL_SERVER_BASE_URL: `http://127.0.0.1:${port}` });
      try {
        await test(front);
      } finally {
        await front.close();
        model.closeAllConnections();
        model.close();
      }
    };
    const choice = (more: object = {}) => ({
      index: 0,
      message: { role: 'assistant', content: 'ok' },
      finish_reason: 'stop',
      ...more,
    });
    const json = (response: ServerResponse, text: string, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(text);

    it.each([400, 404, 415, 422, 500, 501])('serves although it refuses our fields with %d', async (status) => {
      let asked = 0;
      await withModel(
        (body, response) => {
          asked += 1;
          if (body.logprobs === true) json(response, '{"error":{"message":"extra_forbidden"}}', status);
          else json(response, JSON.stringify({ choices: [choice()] }));
        },
        async (front) => {
          // Once may be an accident; three times in a row it is the server's way.
          for (let i = 0; i < 4; i += 1) {
            expect((await front.post('/v1/chat/completions', chat('hi'))).status).toBe(200);
          }
          expect(asked).toBe(7);
        },
      );
    });

    it('does not ask twice where the server says that it is overloaded or the key is wrong', async () => {
      let asked = 0;
      let status = 429;
      await withModel(
        (_, response) => {
          asked += 1;
          json(response, '{}', status);
        },
        async (front) => {
          for (status of [401, 403, 429, 502, 503]) {
            expect((await front.post('/v1/chat/completions', chat('hi'))).status).toBe(status);
          }
          expect(asked).toBe(5);
        },
      );
    });

    it.each([false, true])('gives the client JSON where log-probs are no numbers (stream: %s)', async (stream) => {
      const body = JSON.stringify({
        model: 'm',
        choices: [choice(stream ? { delta: { content: 'ok' } } : {})],
        sglext: { input_ids: [1], output_ids: [[2]] },
      }).replace('"index":0', '"index":0,"logprobs":{"content":[{"token":"ok","logprob":-Infinity}]}');
      await withModel(
        (_, response) => {
          if (!stream) json(response, body);
          else
            response.writeHead(200, { 'content-type': 'text/event-stream' }).end(`data: ${body}\n\ndata: [DONE]\n\n`);
        },
        async (front) => {
          const response = await front.post('/v1/chat/completions', chat('hi', { stream }));
          const text = await response.text();
          const answer = stream ? chunksOf(text)[0] : JSON.parse(text);
          expect(answer.model).toBe('openclaw-rl');
          expect(answer.choices[0].logprobs).toBeNull();
          expect(answer.sglext).toBeUndefined();
          const { info } = await settled(response.headers.get('x-rl-turn-id')!);
          expect(info).toMatchObject({ reason: 'incomplete', detail: 'bad_log_prob' });
        },
      );
    });

    it('takes an answer for whole with its [DONE], though the server does not hang up', async () => {
      const chunk = { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] };
      await withModel(
        (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
        },
        async (front) => {
          const response = await front.post('/v1/chat/completions', chat('hi', { stream: true }));
          expect(eventsOf(await response.text()).at(-1)).toBe('[DONE]');
          expect((await completed(response.headers.get('x-rl-turn-id')!)).info.exclusion).toBe('no_token_ids');
        },
      );
    });

    it('keeps the connection to a server that ends its stream a moment behind the [DONE]', async () => {
      const chunk = { choices: [{ index: 0, delta: { content: 'ok' }, finish_reason: 'stop' }] };
      const open: ServerResponse[] = [];
      const sockets: unknown[] = [];
      await withModel(
        (_, response) => {
          response.writeHead(200, { 'content-type': 'text/event-stream' });
          response.write(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
          open.push(response);
          sockets.push(response.socket);
        },
        async (front) => {
          const answer = async () => (await front.post('/v1/chat/completions', chat('hi', { stream: true }))).text();
          await answer();
          open[0]!.end();
          await until(async () => (await answer()) !== '' && sockets.at(-1) === sockets[0], {
            what: 'another request on the first connection',
          });
        },
      );
    });
  });

  it('trains on nothing that was not the policy’s own choice', async () => {
    const response = await gateway.post('/v1/chat/completions', chat('hi', { logit_bias: { '5': 10 } }));
    const { info } = await settled(response.headers.get('x-rl-turn-id')!);
    expect(info).toMatchObject({ reason: 'incomplete', detail: 'constrained_sampling' });
  });

  it('trains on no answer that is one of several', async () => {
    const response = await gateway.post('/v1/chat/completions', chat('hi', { n: 2 }));
    await response.text();
    if (response.status === 200) {
      const { info } = await settled(response.headers.get('x-rl-turn-id')!);
      expect(info).toMatchObject({ reason: 'incomplete', detail: 'several_choices' });
    } else {
      expect((await settled(response.headers.get('x-rl-turn-id')!)).info.reason).toBe('upstream_error');
    }
  });

  it('answers no page of another site where it has no keys', async () => {
    const response = await gateway.post('/v1/chat/completions', chat('hi'), { origin: 'https://evil.example' });
    expect(response.status).toBe(403);
    expect((await response.json()).error.code).toBe('cross_site_refused');
  });

  it('takes a turn that is too big for the bus for served, and counts it', async () => {
    const answer = { choices: [{ index: 0, message: { role: 'assistant', content: 'ok' }, finish_reason: 'stop' }] };
    const model = createServer((request, response) => {
      request.resume();
      request.on('end', () => response.setHeader('content-type', 'application/json').end(JSON.stringify(answer)));
    });
    await new Promise<void>((resolve) => model.listen(0, '127.0.0.1', resolve));
    const { port } = model.address() as AddressInfo;
    const front = await start({ OPENCLAW_RL_SERVER_BASE_URL: `http://127.0.0.1:${port}` });
    try {
      const response = await front.post('/v1/chat/completions', chat('y'.repeat(9_000_000)));
      expect(response.status).toBe(200);
      expect((await settled(response.headers.get('x-rl-turn-id')!)).info.reason).toBe('turn_too_large');
      await completed(response.headers.get('x-rl-turn-id')!);
      const metrics = await (await fetch(`${front.url}/metrics`)).text();
      expect(metrics).toContain('openclaw_rl_turns_total{kind="main",route="text",exclusion="turn_too_large"} 1');
      expect(metrics).toContain('openclaw_rl_turns_settled_total{outcome="turn_too_large"} 1');
      expect(metrics).not.toContain('exclusion="none"');
    } finally {
      await front.close();
      model.close();
    }
  });

  it('serves on without NATS, says so, and sends what it kept once NATS is back', async () => {
    const own = await startNatsServer();
    const front = await start({ NATS_URL: own.url });
    const reader = new Bus({ url: own.url, app: 'reader', storeGb: 1, replicas: 1 });
    await reader.ready();
    try {
      await own.kill();
      await until(async () => (await (await fetch(`${front.url}/readyz`)).json()).status === 'degraded', {
        what: 'degraded readiness',
      });
      engine.script({ content: 'Still here.' });
      const response = await front.post('/v1/chat/completions', chat('without the bus'));
      expect(response.status).toBe(200);
      await own.restart();
      const turnId = response.headers.get('x-rl-turn-id')!;
      const stored = await until(() => reader.read(TurnCompleted, turnId), { what: 'the turn', timeoutMs: 15_000 });
      expect(stored.body.head.response!.content).toBe('Still here.');
    } finally {
      await front.close();
      await reader.close();
      await own.stop();
    }
  });

  it('knows a turn that it still holds for a bus that was away: feedback waits for it, or is to come again', async () => {
    const own = await startNatsServer();
    const front = await start({ NATS_URL: own.url });
    const rate = async (): Promise<number> => {
      const response = await front.post('/v1/feedback', { turn_id: turnId, score: 1 });
      if (response.status === 503) expect(response.headers.get('retry-after')).toBe('2');
      return response.status;
    };
    let turnId = '';
    try {
      await own.kill();
      turnId = (await front.post('/v1/chat/completions', chat('rate me'))).headers.get('x-rl-turn-id')!;
      expect(await rate()).toBe(503);
      await own.restart();
      const given = await until(
        async () => {
          const status = await rate();
          return status === 503 ? null : status;
        },
        { what: 'feedback is taken', timeoutMs: 15_000 },
      );
      expect(given).toBe(202);
    } finally {
      await front.close();
      await own.stop();
    }
  });

  it('starts and serves without NATS, and trains on nothing until it knows the policy version', async () => {
    const own = await startNatsServer();
    await own.kill();
    const front = await start({ NATS_URL: own.url });
    const reader = new Bus({ url: own.url, app: 'reader', storeGb: 1, replicas: 1 });
    try {
      const early = await front.post('/v1/chat/completions', chat('early'));
      expect(early.status).toBe(200);
      await own.restart();
      await reader.ready();
      const outcome = (response: Response) =>
        until(() => reader.read(TurnCompleted, response.headers.get('x-rl-turn-id')!), {
          what: 'the turn',
          timeoutMs: 15_000,
        });
      expect((await outcome(early)).body.head.detail).toBe('policy_version_unknown');
      const later = await until(
        async () => {
          const response = await front.post('/v1/chat/completions', chat('later'));
          return (await outcome(response)).info.exclusion === undefined;
        },
        { what: 'a turn that can be trained on', timeoutMs: 15_000 },
      );
      expect(later).toBe(true);
    } finally {
      await front.close();
      await reader.close();
      await own.stop();
    }
  });

  it('answers 503 with Retry-After while the update gate is closed, on every replica', async () => {
    const own = await startNatsServer();
    const env = { NATS_URL: own.url, OPENCLAW_RL_GATE_HOLD_S: '0' };
    const fronts = [await start(env), await start(env)];
    const writer = new Bus({ url: own.url, app: 'writer', storeGb: 1, replicas: 1 });
    try {
      const bucket = await writer.bucket(BUCKETS.policy);
      const gate = { state: 'updating', until: Date.now() + 60_000 };
      await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, gate }));
      for (const front of fronts) {
        const refused = await until(
          async () => {
            const response = await front.post('/v1/chat/completions', chat('hi'));
            return response.status === 503 ? response : null;
          },
          { what: 'a closed gate' },
        );
        expect(Number(refused.headers.get('retry-after'))).toBeLessThanOrEqual(10);
        expect(await refused.json()).toMatchObject({
          detail: 'submission paused for weight update',
          error: { type: 'server_error', code: 'weight_update' },
        });
      }
      await bucket.put(POLICY_KEY, JSON.stringify({ ...INITIAL_POLICY_STATE, version: 1 }));
      for (const front of fronts) {
        await until(async () => (await front.post('/v1/chat/completions', chat('hi'))).status === 200, {
          what: 'an open gate',
        });
      }
    } finally {
      await Promise.all(fronts.map((front) => front.close()));
      await writer.close();
      await own.stop();
    }
  });
});
