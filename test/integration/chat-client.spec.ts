import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { ChatClient, chatCompletionsUrl } from '@app/engines';

type Answer = (response: ServerResponse, body: Record<string, unknown>, request: IncomingMessage) => void;

const completion = (content: unknown, finishReason = 'stop') =>
  JSON.stringify({ choices: [{ message: { role: 'assistant', content }, finish_reason: finishReason }] });

const status =
  (code: number, text = '', headers: Record<string, string> = {}): Answer =>
  (response) =>
    response.writeHead(code, headers).end(text);

describe('ChatClient', () => {
  let server: Server;
  let answer: Answer;
  const seen: { url: string | undefined; body: Record<string, unknown>; authorization: string | undefined }[] = [];

  beforeAll(
    () =>
      new Promise<void>((resolve) => {
        server = createServer((request, response) => {
          let text = '';
          request.on('data', (data: Buffer) => (text += data.toString()));
          request.on('end', () => {
            const body = JSON.parse(text) as Record<string, unknown>;
            seen.push({ url: request.url, body, authorization: request.headers.authorization });
            answer(response, body, request);
          });
        }).listen(0, '127.0.0.1', resolve);
      }),
  );
  beforeEach(() => {
    seen.length = 0;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const url = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = (options: { baseUrl?: string; timeoutMs?: number } = {}) =>
    new ChatClient({ baseUrl: url(), apiKey: 'secret-key', model: 'judge-1', timeoutMs: 5000, ...options });
  const ask = (asked = client(), signal = new AbortController().signal) =>
    asked.ask({ messages: [{ role: 'user', content: 'private words' }], maxTokens: 64, temperature: 0.6 }, signal);

  it('sends one chat request and reads what was said and why it ended', async () => {
    answer = status(200, completion('fine', 'length'));
    await expect(ask()).resolves.toEqual({ text: 'fine', finishReason: 'length' });
    expect(seen).toEqual([
      {
        url: '/v1/chat/completions',
        authorization: 'Bearer secret-key',
        body: {
          model: 'judge-1',
          messages: [{ role: 'user', content: 'private words' }],
          max_tokens: 64,
          temperature: 0.6,
          stream: false,
        },
      },
    ]);
  });

  it.each([
    ['http://h:1', 'http://h:1/v1/chat/completions'],
    ['http://h:1/v1', 'http://h:1/v1/chat/completions'],
    ['https://h/api/v1/', 'https://h/api/v1/chat/completions'],
    ['https://h/v1beta/openai', 'https://h/v1beta/openai/chat/completions'],
    ['https://h/api/paas/v4', 'https://h/api/paas/v4/chat/completions'],
    ['https://v1.example.com/vault', 'https://v1.example.com/vault/v1/chat/completions'],
  ])('finds the chat of %s', (base, expected) => {
    expect(chatCompletionsUrl(base)).toBe(expected);
  });

  it.each([
    ['null content after thoughts', null, ''],
    [
      'parts',
      [
        { type: 'thinking', thinking: [] },
        { type: 'text', text: 'said' },
      ],
      'said',
    ],
  ])('reads %s', async (_, content, text) => {
    answer = status(200, completion(content));
    await expect(ask()).resolves.toMatchObject({ text });
  });

  it('takes a completion without choices for an empty reply', async () => {
    answer = status(200, '{"choices":[]}');
    await expect(ask()).resolves.toEqual({ text: '', finishReason: null });
  });

  it('reads an answer behind a byte order mark', async () => {
    answer = status(200, `\uFEFF${completion('fine')}`);
    await expect(ask()).resolves.toMatchObject({ text: 'fine' });
  });

  it('prints a question once, however often it is asked', async () => {
    answer = status(200, completion('fine'));
    const toJSON = jest.fn(() => [{ role: 'user', content: 'once' }]);
    const question = { messages: { toJSON } as unknown as [], maxTokens: 64, temperature: 0.6 };
    const asked = client();
    const { signal } = new AbortController();
    await Promise.all([asked.ask(question, signal), asked.ask(question, signal)]);
    expect(seen.map(({ body }) => body.messages)).toEqual([toJSON(), toJSON()]);
    expect(toJSON).toHaveBeenCalledTimes(3);
  });

  it('makes no call for a caller that has given up already', async () => {
    answer = status(200, completion('fine'));
    await expect(ask(client(), AbortSignal.abort(new RangeError('gone')))).rejects.toThrow('gone');
    expect(seen).toEqual([]);
  });

  it('closes the connection of a call that was given up before it had one', async () => {
    answer = status(200, completion('fine'));
    const leaving = new AbortController();
    const asked = ask(client(), leaving.signal);
    leaving.abort(new RangeError('going'));
    await expect(asked).rejects.toThrow('going');
    await expect(ask()).resolves.toMatchObject({ text: 'fine' });
    expect(seen).toHaveLength(1);
  });

  it.each(['<html>Sign in</html>', '{"error":{"message":"overloaded"}}', 'null', '{"choices":[{"mess', ''])(
    'does not take %j for an answer',
    async (text) => {
      answer = status(200, text);
      await expect(ask()).rejects.toMatchObject({ name: 'EngineAnswerError', retryable: true, outage: true });
    },
  );

  it('names status and Retry-After of an error, and nothing of its text', async () => {
    answer = status(429, 'slow down: private words', { 'retry-after': '3' });
    const error: unknown = await ask().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ name: 'EngineStatusError', status: 429, retryAfterMs: 3000, retryable: true });
    expect(inspect(error, { depth: 10 })).not.toContain('private words');
  });

  it('does not follow redirects with the key', async () => {
    answer = status(307, '', { location: `${url()}/elsewhere` });
    await expect(ask()).rejects.toMatchObject({ status: 307, misconfigured: true });
    expect(seen).toHaveLength(1);
  });

  it('asks a model that refuses max_tokens and a temperature without them, and remembers', async () => {
    answer = (response, body) => {
      const param = ['max_tokens', 'temperature'].find((name) => name in body);
      if (param === undefined) response.end(completion('ok'));
      else response.writeHead(400).end(JSON.stringify({ error: { message: 'no', param } }));
    };
    const asked = client();
    await expect(Promise.all([ask(asked), ask(asked)])).resolves.toMatchObject([{ text: 'ok' }, { text: 'ok' }]);
    const before = seen.length;
    await ask(asked);
    expect(seen).toHaveLength(before + 1);
    expect(seen.at(-1)?.body).toMatchObject({ max_completion_tokens: 64 });
  });

  it('gives up a silent engine after the time limit and closes the connection', async () => {
    answer = () => undefined;
    await expect(ask(client({ timeoutMs: 60 }))).rejects.toMatchObject({ name: 'EngineTimeoutError', timeoutMs: 60 });
  });

  it('counts the body to the time limit as well', async () => {
    answer = (response) => response.writeHead(200).write('{"choices":');
    await expect(ask(client({ timeoutMs: 60 }))).rejects.toMatchObject({ name: 'EngineTimeoutError' });
  });

  it("rejects with the caller's reason when the caller gives up, and tells the engine by closing", async () => {
    const leaving = new AbortController();
    const gone = new Promise<void>((resolve) => {
      answer = (response) => {
        response.on('close', resolve);
        leaving.abort(new RangeError('decided'));
      };
    });
    await expect(ask(client(), leaving.signal)).rejects.toThrow('decided');
    await gone;
    expect(seen).toHaveLength(1);
  });

  it('says that a port nobody listens on is unreachable, without the request', async () => {
    const error: unknown = await ask(client({ baseUrl: 'http://127.0.0.1:1' })).catch((caught: unknown) => caught);
    expect(error).toMatchObject({
      name: 'EngineUnreachableError',
      retryable: true,
      message: expect.stringContaining('ECONNREFUSED'),
    });
    expect(inspect(error, { depth: 10 })).not.toMatch(/private words|secret-key/);
  });

  it('says the same of a connection that breaks in the middle', async () => {
    answer = (response) => {
      response.writeHead(200, { 'content-length': '500' }).write('{"choices":');
      response.destroy();
    };
    await expect(ask()).rejects.toMatchObject({ name: 'EngineUnreachableError', outage: true });
  });
});
