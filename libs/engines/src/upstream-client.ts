import { errors, Pool, type Dispatcher } from 'undici';
import { apiUrl, engineUrl } from './endpoints';
import { lookAtEngine, type EngineReport } from './rotation/look-at-engine';

/** Thrown when no connection to the engine could be made. */
export class UpstreamUnreachableError extends Error {
  override readonly name = 'UpstreamUnreachableError';
}

/** Thrown when the engine did not answer, or stopped answering, within its time limit. */
export class UpstreamTimeoutError extends Error {
  override readonly name = 'UpstreamTimeoutError';

  constructor(
    readonly phase: 'connect' | 'first_byte' | 'idle',
    readonly seconds: number,
    options?: ErrorOptions,
  ) {
    super(`the model did not ${phase === 'connect' ? 'accept a connection' : 'answer'} within ${seconds} s`, options);
  }
}

/** Reason of an abort: the client closed its connection before it had the whole answer. */
export class ClientGoneError extends Error {
  override readonly name = 'ClientGoneError';
}

/** Time limits in seconds. */
export interface UpstreamLimits {
  readonly connectTimeoutS: number;
  readonly firstByteTimeoutS: number;
}

export interface UpstreamOptions extends UpstreamLimits {
  /** Base URL, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

/** An engine's answer, its body still to be read. */
export interface UpstreamResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Dispatcher.ResponseData['body'];
}

export interface UpstreamRequest {
  /** @default 'openai' */
  readonly api?: 'openai' | 'engine';
  readonly body?: Buffer | string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

const PIPELINING = 1;

const pathOf = (url: string): string => new URL(url).pathname.replace(/\/$/, '');

/** HTTP client of the serving path: one pool of connections to one engine. Several times cheaper per request than fetch. */
export class UpstreamClient {
  private readonly pool: Pool;
  private readonly apiPath: string;
  private readonly enginePath: string;

  constructor(private readonly options: UpstreamOptions) {
    this.apiPath = pathOf(apiUrl(options.baseUrl));
    this.enginePath = pathOf(engineUrl(options.baseUrl));
    this.pool = new Pool(new URL(options.baseUrl).origin, {
      pipelining: PIPELINING,
      connect: { timeout: options.connectTimeoutS * 1000 },
      headersTimeout: options.firstByteTimeoutS * 1000,
      // The relay watches bodies itself: the first piece and later ones have limits of their own.
      bodyTimeout: 0,
    });
  }

  /**
   * Sends a request to the OpenAI API (`/chat/completions`), or to the engine's own one (`/generate`); resolves with the
   * headers. Aborting the signal closes the connection, which tells the engine.
   * @throws UpstreamUnreachableError, UpstreamTimeoutError
   */
  async request(method: 'GET' | 'POST', path: string, options: UpstreamRequest = {}): Promise<UpstreamResponse> {
    try {
      const response = await this.pool.request({
        method,
        path: `${options.api === 'engine' ? this.enginePath : this.apiPath}${path}`,
        headers: {
          accept: 'application/json, text/event-stream',
          ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(this.options.apiKey === null ? {} : { authorization: `Bearer ${this.options.apiKey}` }),
          ...options.headers,
        },
        ...(options.body === undefined ? {} : { body: options.body }),
        ...(options.signal === undefined ? {} : { signal: options.signal }),
      });
      return { status: response.statusCode, headers: response.headers, body: response.body };
    } catch (error) {
      throw this.explain(error);
    }
  }

  /** Looks at the engine from outside. Never rejects. */
  look(signal: AbortSignal): Promise<EngineReport> {
    return lookAtEngine(async (path) => {
      const { status, body } = await this.request('GET', path, { api: 'engine', signal });
      return { status, text: await body.text() };
    });
  }

  /** Turns a failure of a request or of its body into one of ours. */
  explain(error: unknown): unknown {
    const { connectTimeoutS, firstByteTimeoutS } = this.options;
    if (error instanceof errors.ConnectTimeoutError) {
      return new UpstreamTimeoutError('connect', connectTimeoutS, { cause: error });
    }
    if (error instanceof errors.HeadersTimeoutError) {
      return new UpstreamTimeoutError('first_byte', firstByteTimeoutS, { cause: error });
    }
    if (error instanceof UpstreamTimeoutError || error instanceof ClientGoneError) return error;
    return new UpstreamUnreachableError('the model could not be reached', { cause: error });
  }

  async close(): Promise<void> {
    await this.pool.destroy();
  }
}
