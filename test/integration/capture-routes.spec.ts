import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Logger } from '@nestjs/common';
import { Bus } from '@app/bus';
import { BUCKETS, TurnCompleted } from '@app/contracts';
import { INITIAL_POLICY_STATE, POLICY_KEY } from '@app/pools';
import {
  decode,
  encode,
  startEngineDouble,
  startNatsServer,
  until,
  writeModelFolder,
  type EngineDouble,
  type EngineDoubleOptions,
  type NatsServer,
} from '@app/testing';
import { startGateway, type TestGateway } from '../support/start-gateway';

/** An engine, and whether the gateway is given its tokenizer, with its own template or another, or its sampling. */
type Options = EngineDoubleOptions & { tokenizer?: boolean; otherTemplate?: boolean; saysSampling?: boolean };

const NO_CHAT_IDS = 'sglext: no ids in its streams; token_ids: no ids in its streams';
const NO_RENDERER =
  'generate: neither server.tokenizer is set, nor all of server.temperature, server.top_p and server.top_k';

/** Engines, what each is captured by, and what is said against better routes. */
const ENGINES: [name: string, options: Options, route: string, why: string][] = [
  ['an SGLang with sglext', {}, 'sglext', ''],
  ['a vLLM', { dialect: 'vllm' }, 'token_ids', 'sglext: no ids in its streams'],
  ['an SGLang without ids in its chat', { sglext: false }, 'text', `${NO_CHAT_IDS}; ${NO_RENDERER}`],
  ['such an SGLang, where the tokenizer is known', { sglext: false, tokenizer: true }, 'generate', NO_CHAT_IDS],
  [
    'such an SGLang, where the template is of another model',
    { sglext: false, tokenizer: true, otherTemplate: true },
    'text',
    `${NO_CHAT_IDS}; generate: the engine's chat makes another prompt of the same messages than server.tokenizer`,
  ],
  [
    'such an SGLang, where its sampling is known and it renders itself',
    { sglext: false, saysSampling: true },
    'generate',
    NO_CHAT_IDS,
  ],
  [
    'such an SGLang, where it renders no messages',
    { sglext: false, saysSampling: true, tokenizes: 'texts' },
    'text',
    `${NO_CHAT_IDS}; generate: no prompt could be rendered: /tokenize makes no prompt of messages`,
  ],
  [
    'such an SGLang, where it renders without tools',
    { sglext: false, saysSampling: true, tokenizes: 'messages' },
    'text',
    `${NO_CHAT_IDS}; generate: the engine's chat makes another prompt of the same messages than its /tokenize`,
  ],
  [
    'such an SGLang, where its thoughts stand between other marks',
    { sglext: false, saysSampling: true, reasoningParser: 'gpt-oss' },
    'text',
    `${NO_CHAT_IDS}; generate: its reasoning parser "gpt-oss" is not known here`,
  ],
  [
    'such an SGLang, where it reads calls in a way of its own',
    { sglext: false, saysSampling: true, toolCallParser: 'pythonic' },
    'text',
    `${NO_CHAT_IDS}; generate: its tool-call parser "pythonic" is not known here`,
  ],
  [
    'an SGLang whose ids are not whole',
    { faults: ['sglext_without_last_id'] },
    'text',
    `sglext: 4 log-probs for 3 response ids; token_ids: no ids in its streams; ${NO_RENDERER}`,
  ],
  [
    'a hosted model',
    { dialect: 'openai' },
    'text',
    `sglext: refused with status 400; token_ids: refused with status 400; ${NO_RENDERER}`,
  ],
];

/** Every engine with each of its ways to give ids on and off, and the route that is left; `/generate` streams in several ways. */
const ALL_ROUTES: [options: Options, route: string][] = [
  [{}, 'sglext'],
  [{ dialect: 'vllm' }, 'token_ids'],
  [{ sglext: false, tokenizer: true }, 'generate'],
  [{ sglext: false, tokenizer: true, incrementalStreaming: true }, 'generate'],
  [{ sglext: false, saysSampling: true }, 'generate'],
  [{ sglext: false, saysSampling: true, incrementalStreaming: true }, 'generate'],
  [{ sglext: false, saysSampling: true, outputIds: 'new' }, 'generate'],
  [{ sglext: false, tokenizer: true, outputIds: 'none' }, 'generate'],
  [{ sglext: false }, 'text'],
  [{ dialect: 'vllm', tokenIds: false }, 'text'],
];

const SCRIPT = {
  reasoning: 'Think “hard”.',
  content: 'See — 你好 👩‍🚀.',
  toolCalls: [
    { id: 'call_aa', name: 'read', arguments: { path: 'a' } },
    { id: 'call_bb', name: 'ls', arguments: {} },
  ],
};

const TOOLS = ['read', 'ls'].map((name) => ({ type: 'function', function: { name, parameters: {} } }));

const request = (more: object = {}) => ({
  model: 'openclaw-rl',
  messages: [{ role: 'user', content: 'look' }],
  tools: TOOLS,
  temperature: 0.5,
  ...more,
});

/** What a client puts together from an answer, streamed or whole. */
const accumulate = (text: string) => {
  const streamed = text.startsWith('data: ');
  const chunks = streamed
    ? text
        .split('\n\n')
        .filter((event) => event.startsWith('data: {'))
        .map((event) => JSON.parse(event.slice(6)))
    : [JSON.parse(text)];
  const calls: { name: string; arguments: string }[] = [];
  const seen = { content: '', reasoning: '', calls, finish: null, usage: null };
  for (const chunk of chunks) {
    if (chunk.usage) {
      const { prompt_tokens, completion_tokens, total_tokens } = chunk.usage;
      seen.usage = { prompt_tokens, completion_tokens, total_tokens } as never;
    }
    for (const choice of chunk.choices) {
      const piece = choice.delta ?? choice.message;
      seen.content += String(piece.content ?? '');
      seen.reasoning += String(piece.reasoning_content ?? piece.reasoning ?? '');
      for (const [i, call] of (piece.tool_calls ?? []).entries()) {
        const known = (calls[Number(call.index ?? i)] ??= { name: '', arguments: '' });
        known.name += String(call.function.name ?? '');
        known.arguments += String(call.function.arguments ?? '');
      }
      seen.finish = choice.finish_reason ?? seen.finish;
    }
  }
  return { seen, chunks };
};

// Up to ten engines and gateways are started by one test, each with threads that read a model.
jest.setTimeout(120_000);

describe('capture routes', () => {
  let nats: NatsServer;
  let bus: Bus;
  let folder: string;
  let otherFolder: string;
  const open: { close: () => Promise<unknown> }[] = [];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'model-'));
    writeModelFolder(folder);
    otherFolder = join(folder, 'other');
    writeModelFolder(otherFolder);
    writeFileSync(join(otherFolder, 'chat_template.jinja'), '{{ messages[-1].content }}');
    nats = await startNatsServer();
    bus = new Bus({ url: nats.url, app: 'test', storeGb: 1, replicas: 1 });
    await bus.ready();
  });

  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });

  afterAll(async () => {
    await bus.close();
    await nats.stop();
    rmSync(folder, { recursive: true });
  });

  const start = async ({
    tokenizer = false,
    otherTemplate = false,
    saysSampling = false,
    ...options
  }: Options): Promise<{ engine: EngineDouble; gateway: TestGateway }> => {
    const engine = await startEngineDouble(options);
    open.push(engine);
    const gateway = await startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      ...(saysSampling
        ? {
            OPENCLAW_RL_SERVER_TEMPERATURE: '1',
            OPENCLAW_RL_SERVER_TOP_P: '1',
            OPENCLAW_RL_SERVER_TOP_K: '-1',
          }
        : {}),
      ...(tokenizer ? { OPENCLAW_RL_SERVER_TOKENIZER: otherTemplate ? otherFolder : folder } : {}),
    });
    open.push(gateway);
    return { engine, gateway };
  };

  const ready = async ({ url }: TestGateway) => (await fetch(`${url}/readyz`)).json();

  const serve = async ({ engine, gateway }: { engine: EngineDouble; gateway: TestGateway }, body: object) => {
    engine.script(SCRIPT);
    const response = await gateway.post('/v1/chat/completions', body);
    const { seen, chunks } = accumulate(await response.text());
    const turnId = response.headers.get('x-rl-turn-id')!;
    const { body: stored } = await until(() => bus.read(TurnCompleted, turnId), { what: 'the stored turn' });
    return { seen, chunks, stored };
  };

  it.each(ENGINES)('finds the best way for %s, and says why it is no better one', async (_, options, route, why) => {
    const lines: string[] = [];
    for (const level of ['log', 'warn'] as const) {
      jest.spyOn(Logger.prototype, level).mockImplementation((...said: unknown[]) => {
        lines.push(`${level}: ${String(said[0])}`);
      });
    }
    const { gateway } = await start(options).finally(() => jest.restoreAllMocks());
    const because = why === '' ? '' : ` (${why})`;
    expect(lines).toContain(
      route === 'text'
        ? `warn: turns are served, judged, and not trained on${because}`
        : `log: token ids are captured by ${route}${because}`,
    );
    await expect(ready(gateway)).resolves.toMatchObject({ status: 'ok', route, route_reason: why });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`openclaw_rl_capture_route{route="${route}"} 1`);
    expect(metrics.match(/openclaw_rl_capture_route\{.*\} 1/g)).toHaveLength(1);
  });

  it.each([true, false])('gives client and trainer the same by every route, streamed %p', async (stream) => {
    // At temperature 1 all engines mean the same by a log-prob.
    const body = request({ temperature: 1, ...(stream ? { stream, stream_options: { include_usage: true } } : {}) });
    let first: Awaited<ReturnType<typeof serve>> | null = null;
    for (const [options, route] of ALL_ROUTES) {
      const served = await serve(await start(options), body);
      first ??= served;
      expect(served.seen).toEqual(first.seen);
      expect(JSON.stringify(served.chunks)).not.toMatch(/token_ids|output_ids|"logprob"/);
      expect(served.stored.head).toMatchObject({ route, finishReason: 'tool_calls', response: { role: 'assistant' } });
      const { arrays } = route === 'text' ? { arrays: { promptIds: [], responseIds: [], logProbs: [] } } : first.stored;
      for (const name of ['promptIds', 'responseIds', 'logProbs'] as const) {
        expect(Array.from(served.stored.arrays[name]!)).toEqual(Array.from(arrays[name]));
      }
    }
    expect(first!.seen).toEqual({
      content: SCRIPT.content,
      reasoning: SCRIPT.reasoning,
      calls: SCRIPT.toolCalls.map(({ name, arguments: args }) => ({ name, arguments: JSON.stringify(args) })),
      finish: 'tool_calls',
      usage: expect.objectContaining({ completion_tokens: first!.stored.arrays.responseIds!.length }),
    });
    expect(first!.stored.arrays.responseIds!.length).toBeGreaterThan(20);
    expect(first!.stored.arrays.logProbs).toHaveLength(first!.stored.arrays.responseIds!.length);
  });

  it('says of every route whether its log-probs are taken after the temperature', async () => {
    const said = [];
    for (const [options] of ALL_ROUTES.slice(0, 4)) {
      said.push((await serve(await start(options), request({ temperature: 0.5 }))).stored.head.logProbsTempered);
    }
    expect(said).toEqual([true, false, true, true]);
  });

  describe('through /generate', () => {
    const GENERATE = { sglext: false, tokenizer: true, incrementalStreaming: true };

    it('stores the prompt that it sent, and counts how prompts stand to each other', async () => {
      const { engine, gateway } = await start(GENERATE);
      const first = await serve({ engine, gateway }, request({ stream: true }));
      const calls = first.chunks.flatMap(({ choices }) => choices[0]?.delta.tool_calls ?? []);
      const { content, reasoning: reasoning_content } = first.seen;
      const messages = [
        ...request().messages,
        { role: 'assistant', content, reasoning_content, tool_calls: calls },
        { role: 'tool', tool_call_id: calls[0].id, content: 'one' },
        { role: 'tool', tool_call_id: calls[1].id, content: 'two' },
      ];
      const second = await serve({ engine, gateway }, request({ stream: true, messages }));
      const [prompt] = engine
        .chats()
        .slice(-1)
        .map(({ body }) => body.input_ids as number[]);
      const promptIds = Array.from(second.stored.arrays.promptIds!);
      expect(promptIds).toEqual(prompt);
      // The script writes arguments without spaces, the template with: a fork in the middle of the first answer.
      const before = [...first.stored.arrays.promptIds!, ...first.stored.arrays.responseIds!];
      const common = before.findIndex((id, i) => id !== promptIds[i]);
      expect(common).toBeGreaterThan(first.stored.arrays.promptIds!.length + 10);
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      expect(metrics).toContain('openclaw_rl_prompts_total{drift="new"} 1');
      expect(metrics).toContain('openclaw_rl_prompts_total{drift="forked"} 1');
    });

    it('has the engine render where it is given no tokenizer, and serves by the chat what it does not render', async () => {
      const { engine, gateway } = await start({ sglext: false, saysSampling: true });
      engine.script({ content: 'One.' }, { content: 'Two.' }, { content: 'Three.' });
      const messages: object[] = [...request().messages];
      const routes = [];
      for (const question of ['and?', 'so?', 'then?']) {
        if (question === 'then?') engine.set({ tokenizes: 'texts' });
        const response = await gateway.post('/v1/chat/completions', request({ messages, tools: [] }));
        const turnId = response.headers.get('x-rl-turn-id')!;
        messages.push((await response.json()).choices[0].message, { role: 'user', content: question });
        const { body } = await until(() => bus.read(TurnCompleted, turnId), { what: 'the stored turn' });
        routes.push(body.head.route);
      }
      expect(routes).toEqual(['generate', 'generate', 'text']);
      const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
      for (const drift of ['new', 'clean', 'failed']) {
        expect(metrics).toContain(`openclaw_rl_prompts_total{drift="${drift}"} 1`);
      }
    });

    it('says its sampling, also what only the model says', async () => {
      const { engine, gateway } = await start(GENERATE);
      const { stored } = await serve({ engine, gateway }, { model: 'm', messages: request().messages, top_p: 0.9 });
      expect(stored.head.sampling).toEqual({ temperature: 1, topP: 0.9, topK: -1 });
      expect(engine.chats().at(-1)!.body.sampling_params).toMatchObject({ temperature: 1, top_p: 0.9, top_k: -1 });
    });

    it('serves by the chat what /generate cannot do', async () => {
      const { engine, gateway } = await start(GENERATE);
      for (const more of [
        { logprobs: true },
        { separate_reasoning: false },
        { response_format: { type: 'text' }, tool_choice: 'required' },
      ]) {
        const { seen, stored } = await serve({ engine, gateway }, request(more));
        expect([engine.chats().at(-1)!.path, stored.head.route]).toEqual(['/v1/chat/completions', 'text']);
        expect(seen.content).toContain(SCRIPT.content);
      }
    });

    it.each([true, false])('ends at a text that the client names, streamed %p', async (stream) => {
      const { engine, gateway } = await start(GENERATE);
      engine.script({ content: 'one two END three' });
      const response = await gateway.post('/v1/chat/completions', request({ stream, stop: 'END' }));
      const { seen } = accumulate(await response.text());
      expect([seen.content, seen.finish]).toEqual(['one two ', 'stop']);
    });

    it('says where an answer was cut off, and keeps half a call as text', async () => {
      const { engine, gateway } = await start(GENERATE);
      engine.script({ ...SCRIPT, reasoning: undefined, cutOffAfterTokens: 60 });
      const response = await gateway.post('/v1/chat/completions', request({ stream: true, max_tokens: 60 }));
      const { seen } = accumulate(await response.text());
      expect(seen).toMatchObject({ finish: 'length', content: expect.stringContaining('<tool_call>') });
    });

    it('hands on an error in the middle, and trains on nothing of it', async () => {
      const { engine, gateway } = await start(GENERATE);
      engine.script({ content: 'one two three', errorAfterTokens: 3, message: 'out of memory' });
      const response = await gateway.post('/v1/chat/completions', request({ stream: true }));
      expect(await response.text()).toContain('out of memory');
      const { info } = await until(() => bus.read(TurnCompleted, response.headers.get('x-rl-turn-id')!), {
        what: 'the turn',
      });
      expect(info.exclusion).toBe('upstream_error');
    });

    it('tells the engine when its client has gone', async () => {
      const { engine, gateway } = await start(GENERATE);
      let goOn = (): void => undefined;
      engine.script({
        content: 'one two three',
        holdAfterTokens: 2,
        hold: new Promise<void>((resolve) => (goOn = resolve)),
      });
      const leaving = new AbortController();
      const response = await fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request({ stream: true })),
        signal: leaving.signal,
      });
      await response.body!.getReader().read();
      leaving.abort();
      await until(() => engine.chats().at(-1)!.state === 'aborted', { what: 'the abort at the engine' });
      goOn();
    });

    it.each([
      ['streamed piece by piece', { stream: true, incrementalStreaming: true }],
      ['streamed as all so far', { stream: true, incrementalStreaming: false }],
      ['whole', { stream: false, incrementalStreaming: true }],
    ])(
      'goes on with an answer that a weight update has interrupted, %s',
      async (_, { stream, incrementalStreaming }) => {
        const { engine, gateway } = await start({ ...GENERATE, incrementalStreaming });
        const bucket = await bus.bucket(BUCKETS.policy);
        const before = await bucket.get(POLICY_KEY);
        const state = (before?.json<object>() ?? INITIAL_POLICY_STATE) as typeof INITIAL_POLICY_STATE;
        const control = (path: string, body: object) =>
          fetch(`${engine.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
        try {
          engine.script(
            { content: 'One two 你好', holdAfterTokens: 3, hold: new Promise(() => undefined) },
            { content: ' and three.' },
          );
          const responding = gateway.post(
            '/v1/chat/completions',
            request(stream ? { stream, stream_options: { include_usage: true } } : {}),
          );
          await until(() => engine.chats().length === 1, { what: 'the request at the engine' });
          await bucket.put(
            POLICY_KEY,
            JSON.stringify({ ...state, gate: { state: 'updating', until: Date.now() + 60_000 } }),
          );
          await until(async () => (await ready(gateway)).gate === 'closed', { what: 'a closed gate' });
          await control('/pause_generation', { mode: 'abort' });
          await until(() => engine.chats().length === 2, { what: 'the rest of the answer asked for' });
          await control('/update_weights_from_disk', { model_path: '/new', weight_version: 'v2' });
          await bucket.put(POLICY_KEY, JSON.stringify({ ...state, version: state.version + 1 }));
          await until(async () => (await ready(gateway)).gate === 'open', { what: 'an open gate' });
          await control('/continue_generation', {});

          const response = await responding;
          const { seen } = accumulate(await response.text());
          const { arrays, head } = (
            await until(() => bus.read(TurnCompleted, response.headers.get('x-rl-turn-id')!), {
              what: 'the stored turn',
            })
          ).body;
          const [first, second] = engine.chats().map(({ body }) => body.input_ids as number[]);
          const partial = second!.slice(first!.length);
          expect(second!.slice(0, first!.length)).toEqual(first);
          expect(partial).toHaveLength(3);
          expect(Array.from(arrays.promptIds!)).toEqual(first);
          expect(Array.from(arrays.responseIds!).slice(0, 3)).toEqual(partial);
          expect(arrays.logProbs).toHaveLength(arrays.responseIds!.length);
          expect(seen.content).toBe(`${decode(partial)} and three.`);
          expect(seen).toMatchObject({
            finish: 'stop',
            usage: { prompt_tokens: first!.length, completion_tokens: arrays.responseIds!.length },
          });
          const [old, now] = [state.version, state.version + 1];
          const rest = arrays.responseIds!.length - 3;
          expect(head).toMatchObject({
            route: 'generate',
            weightVersions: ['default', 'v2'],
            policyVersion: {
              start: old,
              end: now,
              spans: [
                { version: old, tokens: 3 },
                { version: now, tokens: rest },
              ],
            },
          });
        } finally {
          await bucket.put(POLICY_KEY, JSON.stringify(state));
        }
      },
    );

    it('goes on through two updates, one in a thought and one in a call', async () => {
      const { engine, gateway } = await start(GENERATE);
      const bucket = await bus.bucket(BUCKETS.policy);
      const state = ((await bucket.get(POLICY_KEY))?.json<object>() ??
        INITIAL_POLICY_STATE) as typeof INITIAL_POLICY_STATE;
      const control = (path: string, body: object) =>
        fetch(`${engine.url}${path}`, { method: 'POST', body: JSON.stringify(body) });
      const put = (value: object) => bucket.put(POLICY_KEY, JSON.stringify({ ...state, ...value }));
      const isGate = (gate: string) =>
        until(async () => (await ready(gateway)).gate === gate, { what: `a gate that is ${gate}` });
      const parts = [
        '<think>\nLook',
        ' around.\n</think>\n\nSee.\n<tool_call>\n{"name": "ls", "argu',
        'ments": {}}\n</tool_call>',
      ];
      const lengths = parts.map((part) => encode(part).length);
      try {
        engine.script(
          ...parts.map((content, i) =>
            i === 2 ? { content } : { content, holdAfterTokens: lengths[i]!, hold: new Promise(() => undefined) },
          ),
        );
        const responding = gateway.post('/v1/chat/completions', request({ stream: true }));
        for (const update of [1, 2]) {
          await until(() => engine.chats().length === update, { what: 'the request at the engine' });
          await put({ version: state.version + update - 1, gate: { state: 'updating', until: Date.now() + 60_000 } });
          await isGate('closed');
          await control('/pause_generation', { mode: 'abort' });
          await until(() => engine.chats().length === update + 1, { what: 'the rest of the answer asked for' });
          await control('/update_weights_from_disk', { model_path: '/new', weight_version: `w${update}` });
          await put({ version: state.version + update });
          await isGate('open');
          await control('/continue_generation', {});
        }
        const response = await responding;
        const { seen } = accumulate(await response.text());
        expect(seen).toMatchObject({
          content: 'See.',
          reasoning: 'Look around.',
          calls: [{ name: 'ls', arguments: '{}' }],
          finish: 'tool_calls',
        });
        const { head, arrays } = (
          await until(() => bus.read(TurnCompleted, response.headers.get('x-rl-turn-id')!), { what: 'the stored turn' })
        ).body;
        const ids = Array.from(arrays.responseIds!);
        expect(decode(ids, { skipSpecialTokens: true })).toBe(parts.join(''));
        expect(arrays.logProbs).toHaveLength(ids.length);
        const [first, second, third] = engine.chats().map(({ body }) => body.input_ids as number[]);
        expect(second).toEqual([...first!, ...ids.slice(0, lengths[0])]);
        expect(third).toEqual([...first!, ...ids.slice(0, lengths[0]! + lengths[1]!)]);
        expect(head).toMatchObject({
          weightVersions: ['default', 'w1', 'w2'],
          policyVersion: {
            start: state.version,
            end: state.version + 2,
            spans: [
              { version: state.version, tokens: lengths[0] },
              { version: state.version + 1, tokens: lengths[1] },
              { version: state.version + 2, tokens: ids.length - lengths[0]! - lengths[1]! },
            ],
          },
        });
      } finally {
        await put({});
      }
    });

    it('says where an engine does not go on behind a weight update, and trains on nothing of it', async () => {
      const { engine, gateway } = await start(GENERATE);
      const bucket = await bus.bucket(BUCKETS.policy);
      const before = await bucket.get(POLICY_KEY);
      const state = before?.json<object>() ?? INITIAL_POLICY_STATE;
      const updating = { state: 'updating', until: Date.now() + 60_000 };
      try {
        engine.script({ content: 'One two', holdAfterTokens: 2, hold: new Promise(() => undefined) }, { status: 500 });
        const responding = gateway.post('/v1/chat/completions', request({ stream: true }));
        await until(() => engine.chats().length === 1, { what: 'the request at the engine' });
        await bucket.put(POLICY_KEY, JSON.stringify({ ...state, gate: updating }));
        await until(async () => (await ready(gateway)).gate === 'closed', { what: 'a closed gate' });
        for (const path of ['/pause_generation', '/continue_generation']) {
          await fetch(`${engine.url}${path}`, { method: 'POST', body: '{}' });
        }
        const response = await responding;
        expect(await response.text()).toContain('"code":"upstream_interrupted"');
        const turnId = response.headers.get('x-rl-turn-id')!;
        const { info } = await until(() => bus.read(TurnCompleted, turnId), { what: 'the turn' });
        expect(info.exclusion).toBe('upstream_error');
      } finally {
        await bucket.put(POLICY_KEY, JSON.stringify(state));
      }
    });

    it.each([
      [false, 1],
      [true, 0],
    ])('warns once of an engine that repeats itself with every piece (incremental: %p)', async (incremental, times) => {
      const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
      try {
        const both = await start({ ...GENERATE, incrementalStreaming: incremental });
        for (let turn = 0; turn < 2; turn += 1) await serve(both, request({ stream: true }));
        const told = warn.mock.calls.filter(([text]) => String(text).includes('--incremental-streaming-output'));
        expect(told).toHaveLength(times);
      } finally {
        warn.mockRestore();
      }
    });

    it('takes a turn for incomplete whose log-probs are not whole', async () => {
      const { engine, gateway } = await start(GENERATE);
      engine.set({ faults: ['output_log_prob_missing'], incrementalStreaming: false });
      const response = await gateway.post('/v1/chat/completions', request({ stream: true }));
      await response.text();
      const { info, body } = await until(() => bus.read(TurnCompleted, response.headers.get('x-rl-turn-id')!), {
        what: 'the turn',
      });
      expect([info.exclusion, body.head.detail]).toEqual(['incomplete', 'length_mismatch']);
    });
  });

  it('serves and stores turns of an engine without ids, and asks it for none', async () => {
    const { engine, gateway } = await start({ sglext: false });
    const { seen, stored } = await serve({ engine, gateway }, request());
    expect(seen.content).toBe(SCRIPT.content);
    expect(stored.head).toMatchObject({ route: 'text' });
    expect(engine.chats().at(-1)!.body).not.toHaveProperty('logprobs');
  });

  it('asks again when another engine comes back', async () => {
    const { engine, gateway } = await start({ sglext: false });
    await expect(ready(gateway)).resolves.toMatchObject({ route: 'text' });
    await engine.close();
    expect((await gateway.post('/v1/chat/completions', request())).status).toBe(502);
    open.push(await startEngineDouble({ port: engine.port }));
    await until(async () => (await ready(gateway)).route === 'sglext', { what: 'the route of the new engine' });
  });

  it('asks again when answers come without the ids that they had', async () => {
    const { engine, gateway } = await start({});
    engine.set({ dialect: 'vllm' });
    await serve({ engine, gateway }, request());
    await until(async () => (await ready(gateway)).route === 'token_ids', { what: 'the route of the new engine' });
  });
});
