import { asArray, asObject, asText, type JsonObject } from '../engine-double/json';

/** A check does not hold. The message says what was expected and what came. */
export class CheckFailedError extends Error {
  override readonly name = 'CheckFailedError';
}

/** A check cannot be made here; the message says why. */
export class CheckSkippedError extends Error {
  override readonly name = 'CheckSkippedError';
}

export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new CheckFailedError(message);
}

export function skip(why: string): never {
  throw new CheckSkippedError(why);
}

export interface ConformanceTarget {
  /** Base URL, with or without `/v1`. */
  url: string;
  /** Model id to ask for. @default the first of /v1/models */
  model?: string;
  apiKey?: string;
  /** Also pauses the engine, which other users of it would feel. @default false */
  admin?: boolean;
  /** Largest difference between two log-probs that count as equal; half precision needs it. @default 0.05 */
  tolerance?: number;
  /** Time limit of a request in milliseconds. @default 60000 */
  timeoutMs?: number;
}

export interface Reply {
  status: number;
  contentType: string;
  text: string;
  json: JsonObject;
}

function parseObject(text: string): JsonObject {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return {};
  }
}

/** What the checks need of HTTP, for one target. */
export class ConformanceClient {
  readonly tolerance: number;
  readonly admin: boolean;
  private readonly base: string;
  private chosenModel: string | undefined;

  constructor(private readonly target: ConformanceTarget) {
    this.base = target.url.replace(/\/+$/, '').replace(/\/v1$/, '');
    this.tolerance = target.tolerance ?? 0.05;
    this.admin = target.admin ?? false;
    this.chosenModel = target.model;
  }

  fetch(path: string, body?: JsonObject, signal?: AbortSignal): Promise<Response> {
    const key = this.target.apiKey;
    const limit = AbortSignal.timeout(this.target.timeoutMs ?? 60_000);
    return fetch(this.base + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'content-type': 'application/json', ...(key !== undefined && { authorization: `Bearer ${key}` }) },
      body: body ? JSON.stringify(body) : undefined,
      signal: signal ? AbortSignal.any([signal, limit]) : limit,
    });
  }

  async request(path: string, body?: JsonObject): Promise<Reply> {
    const response = await this.fetch(path, body);
    const text = await response.text();
    const contentType = response.headers.get('content-type') ?? '';
    return { status: response.status, contentType, text, json: parseObject(text) };
  }

  /** The JSON of a 200; skips the check where the path does not exist, fails it on any other status. */
  async ok(path: string, body?: JsonObject): Promise<JsonObject> {
    const reply = await this.request(path, body);
    if (reply.status === 404 || reply.status === 405) skip(`${path} is not offered`);
    expectThat(reply.status === 200, `${path} answered ${reply.status}: ${reply.text.slice(0, 200)}`);
    return reply.json;
  }

  async model(): Promise<string> {
    if (this.chosenModel === undefined) {
      const { json } = await this.request('/v1/models');
      this.chosenModel = asText(asObject(asArray(json.data)[0]).id) || 'default';
    }
    return this.chosenModel;
  }

  /** Asks for token ids and log-probs in the chat; skips the check where a hosted model refuses the fields. */
  async orRefused<T>(asking: Promise<T>): Promise<T> {
    try {
      return await asking;
    } catch (error) {
      if (error instanceof CheckFailedError && error.message.includes(' answered 400')) {
        skip(`log-probs or token ids are refused: ${error.message}`);
      }
      throw error;
    }
  }

  async chat(fields: JsonObject = {}): Promise<JsonObject> {
    return this.ok('/v1/chat/completions', await this.chatBody(fields));
  }

  async chatBody(fields: JsonObject): Promise<JsonObject> {
    const messages = [{ role: 'user', content: 'Say one short sentence about the sea.' }];
    return { model: await this.model(), messages, max_tokens: 64, temperature: 1, ...fields };
  }

  /** The data events of a streamed answer, `[DONE]` as the string it is. */
  async events(path: string, body: JsonObject): Promise<(JsonObject | '[DONE]')[]> {
    const reply = await this.request(path, body);
    if (reply.status === 404) skip(`${path} is not offered`);
    expectThat(reply.status === 200, `${path} answered ${reply.status}: ${reply.text.slice(0, 200)}`);
    expectThat(reply.contentType.startsWith('text/event-stream'), `a stream came as ${reply.contentType}`);
    const data = [...reply.text.matchAll(/^data: (.*)$/gm)].map(([, line]) => line ?? '');
    return data.map((line) => (line === '[DONE]' ? line : parseObject(line)));
  }

  async chatEvents(fields: JsonObject = {}): Promise<(JsonObject | '[DONE]')[]> {
    const stream = { stream: true, stream_options: { include_usage: true } };
    return this.events('/v1/chat/completions', await this.chatBody({ ...stream, ...fields }));
  }

  async tokenize(text: string): Promise<number[]> {
    const { tokens } = await this.ok('/v1/tokenize', { model: await this.model(), prompt: text });
    return asArray(tokens) as number[];
  }

  async detokenize(tokens: readonly number[]): Promise<string> {
    return asText((await this.ok('/v1/detokenize', { model: await this.model(), tokens })).text);
  }
}
