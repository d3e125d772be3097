import { Bus } from '@app/bus';
import { TurnCompleted } from '@app/contracts';
import {
  startEngineDouble,
  startNatsServer,
  until,
  type EngineDouble,
  type EngineDoubleOptions,
  type NatsServer,
} from '@app/testing';
import { startGateway, type TestGateway } from '../support/start-gateway';

/** Engines, what each is captured by, and what is said against better routes. */
const ENGINES: [name: string, options: EngineDoubleOptions, route: string, why: string][] = [
  ['an SGLang with sglext', {}, 'sglext', ''],
  ['a vLLM', { dialect: 'vllm' }, 'token_ids', 'sglext: no ids in its streams'],
  [
    'an SGLang without ids in its chat',
    { sglext: false },
    'text',
    'sglext: no ids in its streams; token_ids: no ids in its streams',
  ],
  [
    'an SGLang whose ids are not whole',
    { faults: ['sglext_without_last_id'] },
    'text',
    'sglext: 4 log-probs for 3 response ids; token_ids: no ids in its streams',
  ],
  [
    'a hosted model',
    { dialect: 'openai' },
    'text',
    'sglext: refused with status 400; token_ids: refused with status 400',
  ],
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

describe('capture routes', () => {
  let nats: NatsServer;
  let bus: Bus;
  const open: { close: () => Promise<unknown> }[] = [];

  beforeAll(async () => {
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
  });

  const start = async (options: EngineDoubleOptions): Promise<{ engine: EngineDouble; gateway: TestGateway }> => {
    const engine = await startEngineDouble(options);
    open.push(engine);
    const gateway = await startGateway({
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
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
    const { gateway } = await start(options);
    await expect(ready(gateway)).resolves.toMatchObject({ status: 'ok', route, route_reason: why });
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`openclaw_rl_capture_route{route="${route}"} 1`);
    expect(metrics.match(/openclaw_rl_capture_route\{.*\} 1/g)).toHaveLength(1);
  });

  it.each([true, false])('gives client and trainer the same by every route, streamed %p', async (stream) => {
    const body = request(stream ? { stream, stream_options: { include_usage: true } } : {});
    const served = [];
    for (const options of [{}, { dialect: 'vllm' as const }]) {
      served.push(await serve(await start(options), body));
    }
    const [first, second] = served as [(typeof served)[0], (typeof served)[0]];
    expect(first.seen).toMatchObject({
      content: SCRIPT.content,
      reasoning: SCRIPT.reasoning,
      calls: SCRIPT.toolCalls.map(({ name, arguments: args }) => ({ name, arguments: JSON.stringify(args) })),
      finish: 'tool_calls',
    });
    expect(second.seen).toEqual(first.seen);
    for (const { chunks } of served) {
      expect(JSON.stringify(chunks)).not.toMatch(/token_ids|output_ids|"logprob"/);
    }
    expect(second.stored.arrays.promptIds).toEqual(first.stored.arrays.promptIds);
    expect(second.stored.arrays.responseIds).toEqual(first.stored.arrays.responseIds);
    expect(first.stored.arrays.responseIds!.length).toBeGreaterThan(20);
    expect(served.map(({ stored }) => [stored.head.route, stored.head.logProbsTempered])).toEqual([
      ['sglext', true],
      ['token_ids', false],
    ]);
  });

  it('captures the same log-probs by every route where they are taken alike', async () => {
    const body = request({ stream: true, temperature: 1 });
    const [sglang, vllm] = [await serve(await start({}), body), await serve(await start({ dialect: 'vllm' }), body)];
    expect(vllm.stored.arrays.logProbs).toEqual(sglang.stored.arrays.logProbs);
    expect(sglang.stored.arrays.logProbs).toHaveLength(sglang.stored.arrays.responseIds!.length);
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
