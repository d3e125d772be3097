import OpenAI, {
  APIConnectionError,
  APIError,
  APIUserAbortError,
  AuthenticationError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';
import type { Bus } from '@app/bus';
import { TurnCompleted, TurnSettled } from '@app/contracts';
import { freePort, startEngineDouble, startNatsServer, until, type EngineDouble, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { connectBus } from './submitter-harness';

const MODEL = 'openclaw-rl';
const MESSAGES = [{ role: 'user' as const, content: 'what is here?' }];
const TOOLS = ['read', 'ls'].map((name) => ({
  type: 'function' as const,
  function: { name, parameters: { type: 'object', properties: { path: { type: 'string' } } } },
}));
const CALLS = [
  { id: 'call_aa', name: 'read', arguments: { path: 'ä/🦀.txt' } },
  { id: 'call_bb', name: 'ls', arguments: {} },
];
const CALLED = [
  { id: 'call_aa', type: 'function', function: { name: 'read', arguments: '{"path":"ä/🦀.txt"}' } },
  { id: 'call_bb', type: 'function', function: { name: 'ls', arguments: '{}' } },
];

describe('the openai SDK as a client', () => {
  const opened = new Opened();
  let nats: NatsServer;
  let engine: EngineDouble;
  let bus: Bus;
  let gateway: TestGateway;
  let client: OpenAI;

  const start = async (env: Record<string, string> = {}): Promise<TestGateway> =>
    opened.add(
      await startGateway({
        NATS_URL: nats.url,
        OPENCLAW_RL_NATS_STORE_GB: '1',
        OPENCLAW_RL_SERVER_BASE_URL: engine.url,
        OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
        OPENCLAW_RL_GATEWAY_API_KEYS: 'sk-one',
        ...env,
      }),
    );
  const clientOf = (url: string, options: object = {}): OpenAI =>
    new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-one', maxRetries: 0, ...options });
  const failureOf = async (work: PromiseLike<unknown>): Promise<InstanceType<typeof APIError>> => {
    try {
      await work;
    } catch (error) {
      if (error instanceof APIError) return error;
      throw error;
    }
    throw new TypeError('it was answered');
  };
  const ask = (from: OpenAI, more: object = {}) =>
    from.chat.completions.create({ model: MODEL, messages: MESSAGES, ...more });

  beforeAll(async () => {
    engine = await startEngineDouble({});
    nats = opened.add(await startNatsServer());
    bus = opened.add(await connectBus(nats.url));
    gateway = await start();
    client = clientOf(gateway.url);
  });
  // First: a gateway waits for answers that a failed test has left held.
  afterAll(() => engine.close());
  afterAll(() => opened.close());

  it('lists the one model', async () => {
    const models = [];
    for await (const model of client.models.list()) models.push(model);
    expect(models).toEqual([{ id: MODEL, object: 'model', created: expect.any(Number), owned_by: 'openclaw-rl' }]);
  });

  it('reads a whole answer, with its turn id', async () => {
    engine.script({ content: 'Two files. 🦀' });
    const { data, response } = await client.chat.completions
      .create({ model: MODEL, messages: MESSAGES })
      .withResponse();
    expect(data.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'Two files. 🦀' },
      finish_reason: 'stop',
    });
    expect(data.model).toBe(MODEL);
    expect(data.usage!.total_tokens).toBeGreaterThan(0);
    expect(response.headers.get('x-rl-turn-id')).toMatch(/^[-\w]+$/);
  });

  it('reads parallel tool calls from a whole answer', async () => {
    engine.script({ toolCalls: CALLS });
    const { choices } = await client.chat.completions.create({ model: MODEL, messages: MESSAGES, tools: TOOLS });
    expect(choices[0]!.finish_reason).toBe('tool_calls');
    expect(choices[0]!.message.tool_calls).toMatchObject(CALLED);
  });

  it('puts streamed text, parallel tool calls and usage together, and what is stored is what it has seen', async () => {
    engine.script({ content: 'I look.', toolCalls: CALLS });
    let turnId = '';
    const listening = clientOf(gateway.url, {
      fetch: async (...call: Parameters<typeof fetch>) => {
        const response = await fetch(...call);
        turnId = response.headers.get('x-rl-turn-id') ?? '';
        return response;
      },
    });
    const stream = listening.chat.completions.stream({
      model: MODEL,
      messages: MESSAGES,
      tools: TOOLS,
      stream_options: { include_usage: true },
    });
    const deltas: string[] = [];
    stream.on('content', (delta) => deltas.push(delta));
    const final = await stream.finalChatCompletion();
    const { message, finish_reason } = final.choices[0]!;
    expect(finish_reason).toBe('tool_calls');
    expect(deltas.join('')).toBe('I look.');
    expect(message.content).toBe('I look.');
    expect(message.tool_calls).toMatchObject(CALLED);
    expect((await stream.totalUsage()).completion_tokens).toBeGreaterThan(0);

    const stored = await until(() => bus.read(TurnCompleted, turnId), { what: 'the stored turn' });
    expect(stored.body.head.response).toMatchObject({ content: 'I look.', tool_calls: CALLED });
    expect(stored.info.exclusion).toBeUndefined();
  });

  it('runs a conversation with tools to its end', async () => {
    const seen: string[] = [];
    engine.script({ toolCalls: [CALLS[1]!] }, { content: 'Only a.txt.' });
    const runner = client.chat.completions.runTools({
      model: MODEL,
      messages: [...MESSAGES],
      stream: true,
      tools: [
        {
          type: 'function',
          function: {
            name: 'ls',
            description: 'lists files',
            parse: String,
            parameters: { type: 'object', properties: {} },
            function: (args: string) => {
              seen.push(args);
              return 'a.txt';
            },
          },
        },
      ],
    });
    await expect(runner.finalContent()).resolves.toBe('Only a.txt.');
    expect(seen).toEqual(['{}']);
  });

  it('reads log-probs that it asked for, and none that it did not', async () => {
    engine.script({ content: 'Yes.' }, { content: 'Yes.' });
    const [asked, plain] = [await ask(client, { logprobs: true }), await ask(client)];
    expect((asked as OpenAI.ChatCompletion).choices[0]!.logprobs!.content!.length).toBeGreaterThan(0);
    expect((plain as OpenAI.ChatCompletion).choices[0]!.logprobs ?? null).toBeNull();
  });

  it('gets a typed error for each refusal, with message, type, code and field', async () => {
    const unknown = await failureOf(ask(clientOf(gateway.url, { apiKey: 'sk-two' })));
    expect(unknown).toBeInstanceOf(AuthenticationError);
    expect(unknown).toMatchObject({ status: 401, code: 'invalid_api_key', type: 'authentication_error' });

    const bad = await failureOf(ask(client, { messages: [{ role: 'user', content: 5 }] }));
    expect(bad).toBeInstanceOf(BadRequestError);
    expect(bad).toMatchObject({ status: 400, param: 'messages[0].content', type: 'invalid_request_error' });
    expect(bad.message).toContain('must be a string');

    expect(await failureOf(client.embeddings.create({ model: MODEL, input: 'x' }))).toBeInstanceOf(NotFoundError);
    expect(await failureOf(client.models.retrieve('gpt'))).toBeInstanceOf(NotFoundError);
  });

  it("gets the model server's own errors typed, with their message", async () => {
    for (const [status, type] of [
      [400, BadRequestError],
      [429, RateLimitError],
      [503, InternalServerError],
    ] as const) {
      // A 400 is asked about a second time, without what the gateway has added.
      engine.script(
        ...Array.from({ length: status === 400 ? 2 : 1 }, () => ({ status, message: 'said by the model' })),
      );
      const failure = await failureOf(ask(client));
      expect(failure).toBeInstanceOf(type);
      expect(failure.message).toContain('said by the model');
    }
  });

  it('gets RateLimitError with Retry-After where too many ask at once, and is served when it tries again', async () => {
    const narrow = await start({ OPENCLAW_RL_GATEWAY_MAX_CONCURRENCY: '1' });
    let release: () => void = () => undefined;
    try {
      engine.script({
        content: 'First.',
        hold: new Promise<void>((resolve) => (release = resolve)),
        holdAfterTokens: 0,
      });
      const first = ask(clientOf(narrow.url), { messages: [{ role: 'user', content: 'hold on' }] });
      await until(() => engine.chats('policy').some(({ lastText }) => lastText === 'hold on'), { what: 'the first' });
      const failure = await failureOf(ask(clientOf(narrow.url)));
      expect(failure).toBeInstanceOf(RateLimitError);
      expect(failure.headers!.get('retry-after')).toBe('1');
      const patient = ask(clientOf(narrow.url, { maxRetries: 5 }));
      release();
      await expect(first).resolves.toMatchObject({ choices: [{ message: { content: 'First.' } }] });
      await expect(patient).resolves.toMatchObject({ object: 'chat.completion' });
    } finally {
      release();
    }
  });

  it('gets InternalServerError where the model is away, and APIConnectionError where the gateway is', async () => {
    const nobody = await start({ OPENCLAW_RL_SERVER_BASE_URL: 'http://127.0.0.1:1' });
    const failure = await failureOf(ask(clientOf(nobody.url)));
    expect(failure).toBeInstanceOf(InternalServerError);
    expect(failure).toMatchObject({ status: 502, code: 'upstream_unreachable' });
    expect(await failureOf(ask(clientOf(`http://127.0.0.1:${await freePort()}`)))).toBeInstanceOf(APIConnectionError);
  });

  it('gets its own time limit as a timeout', async () => {
    engine.script({ hang: true });
    const failure = await failureOf(ask(clientOf(gateway.url, { timeout: 200 })));
    // Within Jest the SDK does not know an abort for one, so that it cannot name it APIConnectionTimeoutError.
    expect(failure).toBeInstanceOf(APIConnectionError);
    const seen = engine.chats('policy').at(-1)!;
    await until(() => seen.state === 'aborted', { what: 'the model has been stopped' });
  });

  it('gets an error from a stream that the model breaks off, not a short answer', async () => {
    engine.script({ content: 'Broken off in the middle', breakAfterTokens: 3 });
    const stream = await client.chat.completions.create({ model: MODEL, messages: MESSAGES, stream: true });
    const failure = await failureOf(
      (async () => {
        for await (const chunk of stream) expect(chunk.choices).toBeDefined();
      })(),
    );
    expect(failure.message).toContain('ended early');
  });

  it('can stop in the middle of a stream, which stops the model', async () => {
    let release: () => void = () => undefined;
    engine.script({
      content: 'A long answer that nobody waits for.',
      hold: new Promise<void>((resolve) => (release = resolve)),
      holdAfterTokens: 2,
    });
    const { data: stream, response } = await client.chat.completions
      .create({ model: MODEL, messages: MESSAGES, stream: true })
      .withResponse();
    for await (const chunk of stream) if (chunk.choices[0]?.delta.content) break;
    const seen = engine.chats('policy').at(-1)!;
    await until(() => seen.state === 'aborted', { what: 'the model has been stopped' });
    release();
    const turnId = response.headers.get('x-rl-turn-id')!;
    const settled = await until(() => bus.read(TurnSettled, turnId), { what: 'the outcome' });
    expect(settled.info.reason).toBe('undelivered');
  });

  it('can stop before the answer has begun', async () => {
    const gone = new AbortController();
    engine.script({ hang: true });
    const waiting = client.chat.completions.create(
      { model: MODEL, messages: [{ role: 'user', content: 'never mind' }] },
      { signal: gone.signal },
    );
    const seen = await until(() => engine.chats('policy').find(({ lastText }) => lastText === 'never mind'), {
      what: 'the request',
    });
    gone.abort();
    expect(await failureOf(waiting)).toBeInstanceOf(APIUserAbortError);
    await until(() => seen.state === 'aborted', { what: 'the model has been stopped' });
  });
});
