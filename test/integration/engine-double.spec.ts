import { decode, startEngineDouble, until, type EngineDouble } from '@app/testing';
import OpenAI from 'openai';

type Json = any;

const CARRIER = '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>';
const IDS = { return_input_ids_in_sglext: true, return_output_ids_in_sglext: true };
const user = (content: string): { role: string; content: string } => ({ role: 'user', content });

let double: EngineDouble;
beforeEach(async () => {
  double = await startEngineDouble();
});
afterEach(() => double.close());

async function post(path: string, body: unknown, init: RequestInit = {}): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...(init.headers as Record<string, string> | undefined) };
  return fetch(double.url + path, { method: 'POST', body: JSON.stringify(body), ...init, headers });
}

const chat = async (fields: Json = {}): Promise<Json> =>
  (await post('/v1/chat/completions', { model: 'double', messages: [user('Hello')], ...fields })).json();

async function chatEvents(fields: Json = {}, headers = {}): Promise<Json[]> {
  const stream = { stream: true, stream_options: { include_usage: true } };
  const body = { model: 'double', messages: [user('Hello')], ...stream, ...fields };
  const text = await (await post('/v1/chat/completions', body, { headers })).text();
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => (block === 'data: [DONE]' ? '[DONE]' : JSON.parse(block.replace(/^(event: .*\n)?data: /, ''))));
}

const generate = async (fields: Json): Promise<Json> =>
  (await post('/generate', { return_logprob: true, ...fields })).json();
const deltas = (events: Json[]): Json[] => events.map((event) => event.choices?.[0]?.delta).filter(Boolean);

describe('chat', () => {
  it('answers with a sentence about the last real message when nothing is scripted', async () => {
    const answer = await chat({ messages: [user('What is NATS?'), user(CARRIER)] });
    expect(answer.choices[0].message.content).toContain('What is NATS?');
    expect(answer.choices[0]).toMatchObject({ finish_reason: 'stop', matched_stop: expect.any(Number) });
    expect(answer.metadata).toEqual({ weight_version: 'default' });
  });

  it('streams role, reasoning, content, parallel tool calls, finish, ids, usage and [DONE] in this order', async () => {
    double.script({
      reasoning: 'think first',
      content: 'I look.',
      toolCalls: [
        { name: 'read', arguments: { path: '/a b' } },
        { id: 'call_2', name: 'ls', arguments: {} },
      ],
    });
    const tools = [{ type: 'function', function: { name: 'read' } }];
    const events = await chatEvents({ tools, logprobs: true, ...IDS });
    const kinds = events.map((event) => {
      const choice = event.choices?.[0];
      if (event === '[DONE]') return 'done';
      if (event.sglext) return 'ids';
      if (event.usage) return 'usage';
      if (choice.finish_reason) return `finish ${choice.finish_reason}`;
      if (choice.delta.role) return 'role';
      if (choice.delta.tool_calls) return `call ${choice.delta.tool_calls[0].index}`;
      if (choice.delta.reasoning_content) return 'reasoning';
      return choice.delta.content ? 'content' : 'log-probs alone';
    });
    const order = kinds.filter((kind, at) => kind !== 'log-probs alone' && kind !== kinds[at - 1]);
    const expected = 'role reasoning content call 0 call 1 finish tool_calls ids usage done';
    expect([...new Set(order)].join(' ')).toBe(expected);

    const calls = deltas(events).flatMap((delta) => delta.tool_calls ?? []);
    expect(calls[0]).toMatchObject({
      id: expect.stringMatching(/^call_[0-9a-f]{24}$/),
      index: 0,
      function: { name: 'read' },
    });
    expect(calls.filter(({ index }) => index === 0).slice(1)).not.toContainEqual(
      expect.objectContaining({ id: expect.any(String) }),
    );
    const args = (index: number): string =>
      calls
        .filter((call) => call.index === index)
        .map((call) => call.function.arguments)
        .join('');
    expect(JSON.parse(args(0))).toEqual({ path: '/a b' });
    expect(args(1)).toBe('{}');

    const { sglext } = events.find((event) => event.sglext);
    const entries = events.flatMap((event) => event.choices?.[0]?.logprobs?.content ?? []);
    expect(entries).toHaveLength(sglext.output_ids[0].length);
    expect(entries.map(({ token }) => token).join('')).toBe(decode(sglext.output_ids[0]));
    expect(decode(sglext.input_ids)).toMatch(/^<\|im_start\|>system[\s\S]*<\|im_start\|>assistant\n$/);
  });

  it('sends the ids as an event of their own when the headers ask', async () => {
    const headers = { 'x-sglext-return-output-ids': '1', 'x-sglext-ids-framed': '1' };
    const body = { model: 'double', messages: [user('Hello')], stream: true };
    const text = await (await post('/v1/chat/completions', body, { headers })).text();
    expect(text).toMatch(/\n\nevent: sglext_ids\ndata: \{.*"sglext":\{"output_ids":\[\[\d/);
    double.set({ sglext: false });
    expect((await chatEvents(IDS)).some((event) => event.sglext)).toBe(false);
  });

  it('can be read by the OpenAI client', async () => {
    double.script({ content: 'Hi!', toolCalls: [{ name: 'f', arguments: { a: [1] } }] });
    const client = new OpenAI({ baseURL: `${double.url}/v1`, apiKey: 'none' });
    const runner = client.chat.completions.stream({
      model: 'double',
      messages: [{ role: 'user', content: 'x' }],
      tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    });
    const { choices } = await runner.finalChatCompletion();
    expect(choices[0]!.message.content).toBe('Hi!');
    expect(choices[0]!.message.tool_calls![0]).toMatchObject({ function: { name: 'f', arguments: '{"a":[1]}' } });
  });

  it('ends at a stop text and at the token limit', async () => {
    double.script({ content: 'one two three' }, { content: 'one two three' });
    expect((await chat({ stop: [' three'] })).choices[0]).toMatchObject({
      message: { content: 'one two' },
      finish_reason: 'stop',
      matched_stop: ' three',
    });
    const short = await chat({ max_completion_tokens: 2, max_tokens: 50 });
    expect(short.choices[0]).toMatchObject({ finish_reason: 'length', matched_stop: null });
    expect(short.usage.completion_tokens).toBe(2);
  });

  it('tempers output log-probs, unless it returns original ones', async () => {
    double.script(() => ({ content: 'Same text.' }));
    const at = async (temperature: number): Promise<number[]> =>
      (await chat({ logprobs: true, temperature })).choices[0].logprobs.content.map((entry: Json) => entry.logprob);
    const plain = await at(1);
    expect(await at(0.6)).not.toEqual(plain);
    double.set({ returnOriginalLogprob: true });
    expect(await at(0.6)).toEqual(plain);
  });

  it('refuses what it cannot do with 400 in its envelope', async () => {
    double.set({ contextLength: 20 });
    expect(await chat({ n: 2 })).toMatchObject({ object: 'error', type: 'BadRequestError', param: 'n', code: 400 });
    expect((await chat({ messages: [] })).message).toMatch(/^messages/);
    expect((await chat({ messages: [user('word '.repeat(40))] })).message).toMatch(/longer than the model's context/);
    expect((await chat({ max_tokens: 500 })).message).toMatch(/maximum context length of 20/);
    expect((await post('/nowhere', {})).status).toBe(404);
    expect(await (await post('/generate', 0, { body: '{' })).json()).toMatchObject({ code: 400 });
  });

  it('asks for its key everywhere but at /health', async () => {
    double.set({ apiKey: 'secret' });
    const refused = await post('/v1/chat/completions', {});
    expect([refused.status, await refused.json()]).toEqual([401, { error: 'Unauthorized' }]);
    expect((await fetch(`${double.url}/health`)).status).toBe(200);
    const headers = { authorization: 'Bearer secret' };
    expect((await post('/v1/tokenize', { prompt: 'a' }, { headers })).status).toBe(200);
  });

  it('takes a prompt of the size that OpenClaw sends without delay', async () => {
    const messages = [
      { role: 'system', content: 'You are a personal assistant inside OpenClaw. '.repeat(1300) },
      user('hi'),
    ];
    await chat({ messages });
    const started = performance.now();
    const answer = await chat({ messages });
    expect(answer.usage.prompt_tokens).toBeGreaterThan(10_000);
    expect(performance.now() - started).toBeLessThan(1_000);
  });
});

describe('hosted dialect', () => {
  it('refuses log-probs and unknown fields, and gives no ids', async () => {
    double.set({ dialect: 'openai' });
    expect(await chat({ logprobs: true })).toMatchObject({
      error: { type: 'invalid_request_error', param: 'logprobs', message: expect.stringContaining('logprobs') },
    });
    expect((await chat(IDS)).error.param).toBe('return_input_ids_in_sglext');
    const answer = await chat();
    expect(answer.choices[0].message.content).toContain('Hello');
    expect(answer).not.toHaveProperty('metadata');
    expect((await post('/generate', { text: 'a' })).status).toBe(404);
  });
});

describe('script', () => {
  it('matches on the last real message and keeps what did not match', async () => {
    double.script({ when: 'list', content: 'second' }, { content: 'first' });
    expect((await chat()).choices[0].message.content).toBe('first');
    expect(double.unusedAnswers).toBe(1);
    expect((await chat({ messages: [user('list files'), user(CARRIER)] })).choices[0].message.content).toBe('second');
  });

  const BODIES: [string, Json][] = [
    ['/v1/chat/completions', { messages: [user('x')] }],
    ['/generate', { text: 'x' }],
  ];

  it.each(BODIES)('answers %s with an error of its choice', async (path, body) => {
    double.script(
      { status: 429, headers: { 'retry-after': '3' }, message: 'slow down' },
      { status: 500, body: { odd: 1 } },
    );
    const limited = await post(path, body);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
    expect(await limited.json()).toMatchObject({ message: 'slow down', code: 429 });
    expect(await (await post(path, body)).json()).toEqual({ odd: 1 });
  });

  it('answers vLLM completions with an error of its choice', async () => {
    double.set({ dialect: 'vllm' });
    double.script({ status: 503 });
    expect((await post('/v1/completions', { prompt: [1, 2] })).status).toBe(503);
  });

  it.each(BODIES)('fails %s before its first token, in a stream by an event', async (path, body) => {
    double.script({ content: 'one', errorAfterTokens: 0, status: 503 }, { content: 'one', errorAfterTokens: 0 });
    expect((await post(path, body)).status).toBe(503);
    const stream = await post(path, { ...body, stream: true });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, expect.stringContaining('event-stream')]);
    const [failure, ...rest] = (await stream.text()).split('\n\n');
    expect(JSON.parse(failure!.replace('data: ', ''))).toMatchObject({ error: { code: 500 } });
    expect(rest).toEqual(['data: [DONE]', '']);
  });

  it('breaks a stream, or ends it with an error event', async () => {
    double.script(
      { content: 'one two three four', breakAfterTokens: 3 },
      { content: 'one two three', errorAfterTokens: 2 },
    );
    const broken = await post('/v1/chat/completions', { messages: [user('x')], stream: true });
    await expect(broken.text()).rejects.toThrow();
    expect(double.chats()[0]!.state).toBe('broken');
    const events = await chatEvents(IDS);
    expect(events.at(-1)).toBe('[DONE]');
    expect(events.at(-2).error).toMatchObject({ object: 'error', code: 500 });
    expect(events.some((event) => event.sglext)).toBe(false);
  });

  it('waits for a gate that the test opens', async () => {
    let open = (): void => undefined;
    const hold = new Promise<void>((resolve) => (open = resolve));
    double.script({ content: 'at last', hold });
    const answer = chat();
    await until(() => double.chats()[0], { what: 'the request has come' });
    expect(double.chats()[0]!.state).toBe('open');
    open();
    expect((await answer).choices[0].message.content).toBe('at last');
    expect(double.chats()[0]!.state).toBe('answered');
  });

  it.each([{ hang: true }, { content: 'slow answer', delayMs: 60_000 }])(
    'stops and remembers it when the client goes away from %j',
    async (answer) => {
      double.script(answer);
      const away = new AbortController();
      const asking = post('/v1/chat/completions', { messages: [user('x')], stream: true }, { signal: away.signal });
      await until(() => double.chats()[0], { what: 'the request has come' });
      away.abort();
      await expect(asking).rejects.toThrow();
      await until(() => double.chats()[0]!.state === 'aborted', { what: 'the abort is seen upstream' });
      expect((await post('/flush_cache', {})).status).toBe(200);
    },
  );

  it('cuts an answer off inside its reasoning', async () => {
    double.script({ reasoning: 'a long thought that never ends', content: 'x', cutOffAfterTokens: 6 });
    const { message, finish_reason: reason } = (await chat()).choices[0];
    expect(reason).toBe('length');
    expect(message.content).toBe('');
    expect(message.reasoning_content).toMatch(/^a long/);
  });
});

describe('judge', () => {
  const judging = (nextState: string, fields: Json = {}): Promise<Json> =>
    chat({ model: 'judge', messages: [user(`Rate.\n<next_state role="user">${nextState}</next_state>`)], ...fields });

  it('boxes what it reads in the next state', async () => {
    expect((await judging('thanks, great')).choices[0].message.content).toMatch(/\\boxed\{1\}$/);
    expect((await judging('that is wrong')).choices[0].message.content).toMatch(/\\boxed\{-1\}$/);
    expect(double.chats('judge')).toHaveLength(2);
    expect(double.chats('policy')).toHaveLength(0);
  });

  it('is scripted apart from the policy', async () => {
    double.script({ to: 'judge', content: 'I cannot say' });
    expect((await chat()).choices[0].message.content).toContain('Hello');
    expect((await judging('x')).choices[0].message.content).toBe('I cannot say');
  });

  it('answers a JSON schema with JSON, or refuses it', async () => {
    const fields = { response_format: { type: 'json_schema', json_schema: { name: 'verdict', schema: {} } } };
    expect(JSON.parse((await judging('perfect', fields)).choices[0].message.content)).toMatchObject({ score: 1 });
    double.set({ jsonSchema: false });
    expect(await judging('perfect', fields)).toMatchObject({ code: 400, param: 'response_format' });
  });

  it('is found by its prompt where it shares the model id', async () => {
    double.set({ isJudge: (body) => JSON.stringify(body).includes('<next_state') });
    const messages = [user('<next_state role="user">thanks</next_state>')];
    expect((await chat({ messages })).choices[0].message.content).toContain('\\boxed{1}');
  });
});

describe('/generate', () => {
  it('scores what it generated with the same log-probs, from any start', async () => {
    const out = await generate({
      text: 'The sea',
      sampling_params: { max_new_tokens: 20, temperature: 1, ignore_eos: true },
    });
    const prompt = (await (await post('/v1/tokenize', { prompt: 'The sea' })).json()).tokens;
    const ids = [...prompt, ...out.output_ids];
    const start = prompt.length - 1;
    const scored = await generate({ input_ids: ids, sampling_params: { max_new_tokens: 0 }, logprob_start_len: start });
    const entries = scored.meta_info.input_token_logprobs;
    expect(entries[0]).toEqual([null, ids[start], null]);
    expect(entries.slice(1)).toEqual(out.meta_info.output_token_logprobs);
    expect(out.output_ids).toHaveLength(20);
    expect(scored.meta_info.finish_reason).toEqual({ type: 'length', length: 0 });
  });

  it('gives no input log-probs unless a start is asked for, and refuses one behind the end', async () => {
    const sampling_params = { max_new_tokens: 1 };
    const plain = await generate({ input_ids: [1, 2, 3], sampling_params });
    expect(plain.meta_info.input_token_logprobs).toEqual([]);
    expect(await generate({ input_ids: [1, 2, 3], sampling_params, logprob_start_len: 4 })).toMatchObject({
      code: 400,
    });
    expect(await generate({ input_ids: [99_999], sampling_params })).toMatchObject({ code: 400 });
  });

  it('lists the likeliest tokens, null where the first entry is null', async () => {
    const { meta_info: meta } = await generate({
      input_ids: [5, 6, 7],
      sampling_params: { max_new_tokens: 1, temperature: 0 },
      logprob_start_len: 0,
      top_logprobs_num: 2,
    });
    expect(meta.input_top_logprobs[0]).toBeNull();
    expect(meta.input_top_logprobs[1]).toHaveLength(2);
    expect(meta.output_top_logprobs[0][0]).toEqual(meta.output_token_logprobs[0]);
  });

  it('draws the same tokens again, and others with other weights', async () => {
    const ask = { text: 'A', sampling_params: { max_new_tokens: 12, temperature: 1 } };
    const first = (await generate(ask)).output_ids;
    expect((await generate(ask)).output_ids).toEqual(first);
    await post('/update_weights_from_disk', { model_path: '/weights/2', weight_version: '2' });
    const other = await generate(ask);
    expect(other.output_ids).not.toEqual(first);
    expect(other.meta_info.weight_version).toBe('2');
  });
});

describe('control', () => {
  const control = (path: string, body: unknown = {}): Promise<Response> => post(path, body);
  const slow = { content: 'a b c d e f g h', holdAfterTokens: 2 };

  it('holds new requests while paused and answers them afterwards', async () => {
    await control('/pause_generation', { mode: 'in_place' });
    const answer = chat();
    await until(() => double.chats()[0], { what: 'the request has come' });
    expect(double.chats()[0]!.state).toBe('open');
    await control('/continue_generation');
    expect((await answer).choices[0].finish_reason).toBe('stop');
  });

  it('ends running answers as aborted when the pause says so', async () => {
    double.script({ ...slow, hold: new Promise(() => undefined) });
    const answer = chat(IDS);
    await until(() => double.chats()[0], { what: 'the request has come' });
    await control('/pause_generation');
    expect((await answer).choices[0].finish_reason).toBe('abort');
  });

  it('finishes a paused answer with the new weights when paused in place', async () => {
    const say = (): Promise<Json> => chat({ logprobs: true });
    const logprobs = (answer: Json): number[] => answer.choices[0].logprobs.content.map((entry: Json) => entry.logprob);
    double.script({ content: slow.content });
    const before = logprobs(await say());
    let open = (): void => undefined;
    const hold = new Promise<void>((resolve) => (open = resolve));
    double.script({ ...slow, hold });
    const answer = say();
    await until(() => double.chats()[1], { what: 'the request has come' });
    await control('/pause_generation', { mode: 'in_place' });
    const refused = await control('/update_weights_from_disk', { model_path: '/w' });
    expect([refused.status, await refused.json()]).toMatchObject([400, { success: false }]);
    const kept = { model_path: '/w', flush_cache: false };
    const updated = await (await control('/update_weights_from_disk', kept)).json();
    expect(updated).toMatchObject({ success: true, num_paused_requests: 1 });
    await control('/continue_generation');
    open();
    const mixed = await answer;
    expect(logprobs(mixed).slice(0, 2)).toEqual(before.slice(0, 2));
    expect(logprobs(mixed).slice(2)).not.toEqual(before.slice(2));
    expect(mixed.metadata.weight_version).toBe('1');
  });

  it('aborts by the beginning of a request id, and ignores an empty one', async () => {
    double.script({ ...slow, hold: new Promise(() => undefined) });
    const answer = chat({ rid: 'turn-1-a' });
    await until(() => double.chats()[0], { what: 'the request has come' });
    await control('/abort_request', { rid: '' });
    expect((await control('/flush_cache')).status).toBe(400);
    await control('/abort_request', { rid: 'turn-1' });
    expect((await answer).choices[0].finish_reason).toBe('abort');
    expect((await control('/flush_cache')).status).toBe(200);
  });

  it('shows path and version of its weights', async () => {
    await control('/update_weights_from_disk', { model_path: '/w/5', weight_version: '5' });
    expect(await (await fetch(`${double.url}/model_info`)).json()).toMatchObject({
      model_path: '/w/5',
      weight_version: '5',
    });
    expect((await (await fetch(`${double.url}/v1/models`)).json()).data[0].id).toBe('/w/5');
    await control('/update_weight_version', { new_version: '6' });
    expect(double.settings.weightVersion).toBe('6');
    expect((await control('/update_weights_from_disk', {})).status).toBe(400);
    expect((await control('/pause_generation', { mode: 'nap' })).status).toBe(400);
  });
});
