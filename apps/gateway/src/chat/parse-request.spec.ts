import { OpenAiError } from '../errors/openai-error';
import { parseChatRequest } from './parse-request';

const MESSAGES = [{ role: 'user', content: 'hi' }];

const parse = (body: unknown): Omit<ReturnType<typeof parseChatRequest>, 'members' | 'body'> => {
  const { members, body: parsed, ...request } = parseChatRequest(Buffer.from(JSON.stringify(body)));
  expect(parsed).toEqual(body);
  expect(Object.fromEntries(members.map(({ key, value }) => [key, JSON.parse(value.toString())]))).toEqual(body);
  return request;
};

const refusal = (raw: Buffer): OpenAiError => {
  try {
    parseChatRequest(raw);
  } catch (error) {
    if (error instanceof OpenAiError) return error;
    throw error;
  }
  throw new TypeError('the request was taken');
};

describe('parseChatRequest', () => {
  it('refuses more messages than any context holds', () => {
    const messages = Array.from({ length: 100_001 }, () => ({ role: 'user' }));
    expect(refusal(Buffer.from(JSON.stringify({ messages })))).toMatchObject({ status: 400, param: 'messages' });
    expect(parse({ messages: messages.slice(1) }).messages).toHaveLength(100_000);
  });

  it('refuses what is nested too deep to be stored, and takes what is not', () => {
    const nested = (depth: number): Buffer =>
      Buffer.from(`{"messages":[{"role":"user"}],"x":${'['.repeat(depth)}${']'.repeat(depth)}}`);
    expect(parseChatRequest(nested(199)).messages).toHaveLength(1);
    expect(refusal(nested(200))).toMatchObject({ status: 400, code: 'invalid_json', param: 'body' });
  });

  it('refuses bytes that are not UTF-8', () => {
    const raw = Buffer.from('{"messages":[{"role":"user","content":"\u00e9"}]}', 'latin1');
    expect(refusal(raw)).toMatchObject({ status: 400, code: 'invalid_json', param: 'body' });
  });

  it('reads what the gateway needs and fills in what is missing', () => {
    expect(parse({ messages: MESSAGES })).toEqual({
      model: null,
      messages: MESSAGES,
      tools: [],
      stream: false,
      logprobs: false,
      choices: 1,
      temperature: null,
      topP: null,
      topK: null,
      isConstrained: false,
      wantsInputIds: false,
      wantsOutputIds: false,
      wantsTokenIds: false,
      user: null,
      promptCacheKey: null,
      sessionId: null,
      turnType: null,
      sessionDone: false,
    });
  });

  it('reads every field', () => {
    const tools = [{ type: 'function', function: { name: 'exec' } }];
    expect(
      parse({
        model: 'm',
        messages: MESSAGES,
        tools,
        stream: true,
        logprobs: true,
        n: 2,
        temperature: 0,
        top_p: 0.9,
        top_k: -1,
        return_input_ids_in_sglext: true,
        return_output_ids_in_sglext: true,
        return_token_ids: true,
        user: 'u',
        prompt_cache_key: 'p',
        session_id: 's',
        turn_type: 'side',
        session_done: true,
      }),
    ).toEqual({
      model: 'm',
      messages: MESSAGES,
      tools,
      stream: true,
      logprobs: true,
      choices: 2,
      temperature: 0,
      topP: 0.9,
      topK: -1,
      isConstrained: false,
      wantsInputIds: true,
      wantsOutputIds: true,
      wantsTokenIds: true,
      user: 'u',
      promptCacheKey: 'p',
      sessionId: 's',
      turnType: 'side',
      sessionDone: true,
    });
  });

  it('takes null for every optional field as not given', () => {
    const names = ['model', 'tools', 'stream', 'logprobs', 'n', 'temperature', 'top_p', 'top_k', 'user'];
    const ours = ['prompt_cache_key', 'session_id', 'turn_type', 'session_done', 'return_input_ids_in_sglext'];
    const nulls = Object.fromEntries([...names, ...ours].map((name) => [name, null]));
    expect(parse({ ...nulls, messages: MESSAGES })).toEqual(parse({ messages: MESSAGES }));
  });

  it.each([
    ['an assistant without content', { role: 'assistant', tool_calls: [{ id: 'c1' }] }],
    ['null content and null calls', { role: 'assistant', content: null, tool_calls: null }],
    ['no calls', { role: 'assistant', content: '', tool_calls: [] }],
    [
      'text and image parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'image_url', image_url: {} },
        ],
      },
    ],
    ['a part with null text', { role: 'user', content: [{ type: 'text', text: null }] }],
    ['no parts', { role: 'user', content: [] }],
    ['plain strings as parts', { role: 'user', content: ['a', 'b'] }],
    ['a role that only some servers know', { role: 'latest_reminder', content: 'x' }],
    ['fields that nobody knows', { role: 'user', content: 'x', name: 'ada', x_other: { deep: [1] } }],
  ])('passes %s on as it came', (_what, message) => {
    expect(parse({ messages: [message] }).messages).toEqual([message]);
  });

  it.each([
    ['model', { model: 7 }, 'model'],
    ['messages missing', { messages: undefined }, 'messages'],
    ['messages null', { messages: null }, 'messages'],
    ['messages empty', { messages: [] }, 'messages'],
    ['messages an object', { messages: { 0: MESSAGES[0] } }, 'messages'],
    ['messages a string', { messages: 'hi' }, 'messages'],
    ['a message that is a string', { messages: [...MESSAGES, 'hi'] }, 'messages[1]'],
    ['a message that is null', { messages: [null] }, 'messages[0]'],
    ['a message that is an array', { messages: [[]] }, 'messages[0]'],
    ['no role', { messages: [{ content: 'hi' }] }, 'messages[0].role'],
    ['an empty role', { messages: [{ role: '' }] }, 'messages[0].role'],
    ['a role that is a number', { messages: [{ role: 1 }] }, 'messages[0].role'],
    ['content that is a number', { messages: [{ role: 'user', content: 0 }] }, 'messages[0].content'],
    ['content that is true', { messages: [{ role: 'user', content: true }] }, 'messages[0].content'],
    ['content that is an object', { messages: [{ role: 'user', content: { a: 1 } }] }, 'messages[0].content'],
    ['a part that is a number', { messages: [{ role: 'user', content: ['a', 3] }] }, 'messages[0].content[1]'],
    ['a part that is null', { messages: [{ role: 'user', content: [null] }] }, 'messages[0].content[0]'],
    ['calls that are an object', { messages: [{ role: 'assistant', tool_calls: {} }] }, 'messages[0].tool_calls'],
    ['a call that is a string', { messages: [{ role: 'assistant', tool_calls: ['x'] }] }, 'messages[0].tool_calls[0]'],
    [
      'a text that is a number',
      { messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] },
      'messages[0].content[0].text',
    ],
    [
      'a function that is a number',
      { messages: [{ role: 'assistant', tool_calls: [{ function: 5 }] }] },
      'messages[0].tool_calls[0].function',
    ],
    ['tools', { tools: {} }, 'tools'],
    ['a tool that is a number', { tools: [{}, 5] }, 'tools[1]'],
    ['the function of a tool', { tools: [{ type: 'function', function: 'f' }] }, 'tools[0].function'],
    ['max_tokens', { max_tokens: 'many' }, 'max_tokens'],
    ['max_completion_tokens', { max_completion_tokens: [] }, 'max_completion_tokens'],
    ['stream', { stream: 'true' }, 'stream'],
    ['logprobs', { logprobs: 5 }, 'logprobs'],
    ['n as text', { n: '1' }, 'n'],
    ['n of zero', { n: 0 }, 'n'],
    ['n as a fraction', { n: 1.5 }, 'n'],
    ['temperature', { temperature: '0.6' }, 'temperature'],
    ['top_p', { top_p: [] }, 'top_p'],
    ['top_k', { top_k: true }, 'top_k'],
    ['user', { user: 7 }, 'user'],
    ['prompt_cache_key', { prompt_cache_key: {} }, 'prompt_cache_key'],
    ['session_id', { session_id: 7 }, 'session_id'],
    ['an empty session_id', { session_id: '' }, 'session_id'],
    ['a session_id that is too long', { session_id: 'x'.repeat(513) }, 'session_id'],
    ['turn_type', { turn_type: 'other' }, 'turn_type'],
    ['session_done', { session_done: 'yes' }, 'session_done'],
  ])('refuses %s and names the field', (_what, fields, param) => {
    const error = refusal(Buffer.from(JSON.stringify({ messages: MESSAGES, ...fields })));
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param });
    expect(error.message.startsWith(`${param}: `)).toBe(true);
  });

  it.each(['temperature', 'top_p', 'top_k'])('refuses a %s that no number can hold', (name) => {
    const raw = Buffer.from(`{"messages":[{"role":"user","content":"hi"}],"${name}":1e999}`);
    expect(refusal(raw)).toMatchObject({ status: 400, param: name });
  });

  it.each([
    ['nothing', ''],
    ['half a body', '{"messages":[{"role":"user"'],
    ['a byte order mark', '\uFEFF{}'],
    ['a list', '[]'],
    ['null', 'null'],
    ['a string', '"hi"'],
  ])('refuses %s as a body', (_what, text) => {
    expect(refusal(Buffer.from(text))).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'body' });
  });

  it('says nothing of the conversation in its message', () => {
    const error = refusal(Buffer.from('{"messages":[{"role":"user","content":"my secret'));
    expect(error.message).not.toContain('secret');
    expect(JSON.stringify(error.body)).not.toContain('secret');
  });
});
