import { EnvHttpProxyAgent, request, type Dispatcher } from 'undici';
import { EngineTimeoutError, EngineUnreachableError } from './engine-errors';

const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024;

/** A whole answer of an engine. */
export interface EngineResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
}

export interface EngineHttpOptions {
  readonly apiKey: string | null;
  /** Limit of one call from the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
}

/**
 * Calls of engines apart from the serving path: a JSON body, a whole answer, one time limit. A judge makes
 * many small calls: undici is the cheapest client for them. Obeys HTTP_PROXY, HTTPS_PROXY and NO_PROXY; follows no redirect.
 */
export class EngineHttp {
  private readonly dispatcher: Dispatcher;

  constructor(private readonly options: EngineHttpOptions) {
    // The timer below counts everything; undici's own limits would only end a call under another name.
    this.dispatcher = new EnvHttpProxyAgent({
      connect: { timeout: options.timeoutMs },
      headersTimeout: 0,
      bodyTimeout: 0,
      maxResponseSize: LONGEST_ANSWER_BYTES,
    });
  }

  /** @throws EngineTimeoutError, EngineUnreachableError; the signal's reason if aborted */
  get(url: string, signal: AbortSignal): Promise<EngineResponse> {
    return this.call(url, { method: 'GET' }, signal);
  }

  /** @throws EngineTimeoutError, EngineUnreachableError; the signal's reason if aborted */
  post(url: string, body: unknown, signal: AbortSignal): Promise<EngineResponse> {
    return this.call(url, { method: 'POST', body: JSON.stringify(body) }, signal);
  }

  private async call(
    url: string,
    { method, body }: { readonly method: 'GET' | 'POST'; readonly body?: string },
    signal: AbortSignal,
  ): Promise<EngineResponse> {
    signal.throwIfAborted();
    const { apiKey, timeoutMs } = this.options;
    // Of its own: signals derived from one that lives longer would pile up in it.
    const call = new AbortController();
    const leave = (): void => {
      call.abort(signal.reason);
    };
    signal.addEventListener('abort', leave, { once: true });
    const timer = setTimeout(() => {
      call.abort(new EngineTimeoutError(timeoutMs));
    }, timeoutMs);
    try {
      const response = await request(url, {
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        ...(body === undefined ? {} : { body }),
        signal: call.signal,
        dispatcher: this.dispatcher,
      });
      return { status: response.statusCode, headers: response.headers, text: await response.body.text() };
    } catch (error) {
      call.signal.throwIfAborted();
      const { code } = error as { readonly code?: unknown };
      const shown = typeof code === 'string' ? code : 'no code';
      throw new EngineUnreachableError(`the engine could not be reached (${shown})`, { cause: error });
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', leave);
    }
  }
}
