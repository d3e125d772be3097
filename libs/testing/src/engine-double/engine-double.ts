import { randomUUID } from 'node:crypto';
import { PROBE_NAME } from '@app/engines';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { chatCompletions } from './chat-completions';
import { completionsEndpoint } from './completions-endpoint';
import { CONTROL_ENDPOINTS, ENDPOINTS_OF } from './control-endpoints';
import { Engine, Job } from './engine';
import { ConnectionCutError, EngineRequestError } from './errors';
import { Exchange, readBody } from './exchange';
import { generateEndpoint } from './generate-endpoint';
import { asArray, asObject, asText, type JsonObject } from './json';
import { lastMessage } from './messages';
import type {
  AnswerRule,
  EngineDoubleOptions,
  EngineDoubleSettings,
  Role,
  ScriptedAnswer,
  SeenRequest,
} from './options';

/** A running stand-in for an SGLang server. */
export interface EngineDouble {
  /** `http://host:port`, without `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request seen, in order; their `state` goes on changing. */
  readonly requests: readonly SeenRequest[];
  /** The chat and generate requests for one role, but for a gateway's probes. */
  chats(role?: Role): SeenRequest[];
  /** Answers still in the queue. */
  readonly unusedAnswers: number;
  /** Adds answers to the queue, and functions as standing rules. */
  script(...answers: (ScriptedAnswer | AnswerRule)[]): void;
  /** Changes settings while it runs. */
  set(settings: Partial<EngineDoubleSettings>): void;
  /** The settings of this moment; `weightVersion` follows what clients did. */
  readonly settings: Readonly<EngineDoubleSettings>;
  /** Cuts what is still open and ends. */
  close(): Promise<void>;
}

const GENERATING = new Map([
  ['POST /v1/chat/completions', chatCompletions],
  ['POST /generate', generateEndpoint],
  ['POST /v1/completions', completionsEndpoint],
]);

/** Endpoints that generate, of one dialect alone. */
const ONLY_IN: Readonly<Record<string, string>> = { '/generate': 'sglang', '/v1/completions': 'vllm' };

function roleOf(body: JsonObject, settings: EngineDoubleSettings): Role {
  return body.model === settings.judgeModel || settings.isJudge?.(body) === true ? 'judge' : 'policy';
}

function parseBody(text: string): JsonObject | undefined {
  if (text === '') return {};
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

const seenRequest = (request: IncomingMessage, body: JsonObject, settings: EngineDoubleSettings): SeenRequest => ({
  method: request.method ?? 'GET',
  path: (request.url ?? '/').split('?')[0] ?? '/',
  headers: request.headers,
  body,
  role: roleOf(body, settings),
  isProbe: body.user === PROBE_NAME || asText(body.rid).startsWith(PROBE_NAME),
  lastText: lastMessage(asArray(body.messages))?.text ?? asText(body.text),
  state: 'open',
});

function checkKey(engine: Engine, seen: SeenRequest): boolean {
  const { apiKey } = engine.settings;
  return apiKey === undefined || seen.path.startsWith('/health') || seen.headers.authorization === `Bearer ${apiKey}`;
}

async function route(engine: Engine, exchange: Exchange): Promise<void> {
  const { method, path, body } = exchange.seen;
  const name = `${method} ${path}`;
  const { dialect } = engine.settings;
  const generating = ONLY_IN[path] === undefined || ONLY_IN[path] === dialect ? GENERATING.get(name) : undefined;
  const control = dialect === 'sglang' || ENDPOINTS_OF[dialect].has(name) ? CONTROL_ENDPOINTS.get(name) : undefined;
  if (control) {
    await control(engine, exchange);
    return;
  }
  if (!generating) throw new EngineRequestError(404, `There is no ${name} here.`);
  const job = new Job(asText(body.rid) || randomUUID().replaceAll('-', ''));
  exchange.onClientGone(() => {
    job.abort('Client disconnected.');
  });
  await engine.whileOpen(job);
  if (job.signal.aborted) return;
  engine.begin(job);
  try {
    await generating(engine, exchange, job);
  } finally {
    engine.end(job);
  }
}

async function handle(engine: Engine, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const parsed = parseBody(await readBody(request));
  const seen = seenRequest(request, parsed ?? {}, engine.settings);
  engine.requests.push(seen);
  const exchange = new Exchange(engine, seen, response);
  if (!checkKey(engine, seen)) {
    const hosted = { message: 'Incorrect API key provided.', type: 'invalid_request_error', code: 'invalid_api_key' };
    exchange.json(401, { error: engine.settings.dialect === 'openai' ? hosted : 'Unauthorized' });
    return;
  }
  try {
    if (!parsed) throw new EngineRequestError(400, 'The body is not valid JSON.');
    await route(engine, exchange);
  } catch (error) {
    if (error instanceof ConnectionCutError) await exchange.cut();
    else if (error instanceof EngineRequestError) exchange.error(error);
    else exchange.error(new EngineRequestError(500, String(error)));
  }
}

/** Starts the double on loopback, on a port of its own unless one is given. */
export async function startEngineDouble(options: EngineDoubleOptions = {}): Promise<EngineDouble> {
  const { host = '127.0.0.1', port = 0, ...settings } = options;
  const engine = new Engine(settings);
  const server = createServer((request, response) => {
    handle(engine, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const actual = (server.address() as AddressInfo).port;
  return {
    url: `http://${host}:${actual}`,
    port: actual,
    requests: engine.requests,
    chats: (role = 'policy') =>
      engine.requests.filter(
        (seen) => GENERATING.has(`${seen.method} ${seen.path}`) && seen.role === role && !seen.isProbe,
      ),
    get unusedAnswers() {
      return engine.playbook.waiting;
    },
    script: (...answers) => {
      engine.playbook.add(answers);
    },
    set: (changes) => {
      Object.assign(engine.settings, changes);
    },
    settings: engine.settings,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
