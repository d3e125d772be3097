import type { IncomingMessage, ServerResponse } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import type { Engine } from './engine';
import { ScriptedFailureError, type EngineRequestError } from './errors';
import type { JsonObject } from './json';
import type { SeenRequest } from './options';

/** Reads a whole request body. */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const ERROR_TYPES: Record<number, string> = {
  400: 'BadRequestError',
  401: 'AuthenticationError',
  404: 'NotFoundError',
  429: 'RateLimitError',
};

/** One request and its answer. */
export class Exchange {
  constructor(
    private readonly engine: Engine,
    readonly seen: SeenRequest & { state: SeenRequest['state'] },
    private readonly response: ServerResponse,
  ) {}

  get body(): JsonObject {
    return this.seen.body;
  }

  header(name: string): string | undefined {
    const value = this.seen.headers[name];
    return Array.isArray(value) ? value[0] : value;
  }

  /** Whether the stream has begun, so that errors can only be events. */
  get streaming(): boolean {
    return this.response.headersSent;
  }

  onClientGone(handler: () => void): void {
    this.response.once('close', () => {
      if (this.response.writableFinished || this.seen.state === 'broken') return;
      this.seen.state = 'aborted';
      handler();
    });
  }

  json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): void {
    this.response.writeHead(status, { 'content-type': 'application/json', ...headers });
    this.finish(JSON.stringify(body));
  }

  text(status: number, body: string): void {
    this.response.writeHead(status, { 'content-type': 'text/plain' });
    this.finish(body);
  }

  /** The engine's error envelope, as an HTTP answer or, in a stream, as an event. */
  error(error: EngineRequestError, headers: Readonly<Record<string, string>> = {}): void {
    if (this.streaming || (error instanceof ScriptedFailureError && this.body.stream === true)) {
      const { dialect } = this.engine.settings;
      this.event(dialect === 'vllm' ? this.envelope(error) : { error: this.sglangError(error) });
      this.done();
    } else if (this.engine.has('errors_as_text')) {
      this.text(error.status, error.message);
    } else {
      this.json(error.status, this.envelope(error), headers);
    }
  }

  /** Sends one server-sent event, opening the stream with the first one. */
  event(data: unknown, name?: string): void {
    if (!this.streaming) {
      this.response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
    }
    this.response.write(`${name ? `event: ${name}\n` : ''}data: ${JSON.stringify(data)}\n\n`);
  }

  done(): void {
    this.finish(this.engine.has('stream_without_done') ? '' : 'data: [DONE]\n\n');
  }

  /** Cuts the connection after what was written so far has left. */
  async cut(): Promise<void> {
    this.seen.state = 'broken';
    await setImmediate();
    this.response.destroy();
  }

  private finish(text: string): void {
    if (this.seen.state === 'open') this.seen.state = 'answered';
    this.response.end(text);
  }

  private sglangError({ status, message, param }: EngineRequestError): JsonObject {
    const type = ERROR_TYPES[status] ?? 'InternalServerError';
    return { object: 'error', message, type, param, code: status };
  }

  private envelope(error: EngineRequestError): JsonObject {
    if (this.engine.settings.dialect === 'sglang') return this.sglangError(error);
    if (this.engine.settings.dialect === 'vllm') {
      const { message, type, param, code } = this.sglangError(error);
      return { error: { message, type, param, code } };
    }
    const type = error.status < 500 && error.status !== 429 ? 'invalid_request_error' : 'server_error';
    return { error: { message: error.message, type, param: error.param, code: null } };
  }
}
