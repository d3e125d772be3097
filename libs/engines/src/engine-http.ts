import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import { EngineTimeoutError, EngineUnreachableError } from './engine-errors';
import { WholeAnswer, type EngineResponse } from './whole-answer';

const LONGEST_ANSWER_BYTES = 64 * 1024 * 1024;

export interface EngineHttpOptions {
  readonly apiKey: string | null;
  /** Limit of one call from the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
}

interface EngineRequest {
  readonly method: 'GET' | 'POST';
  /** JSON, printed. */
  readonly body?: string | Buffer;
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

  /**
   * @param json printed already: who asks the same more than once prints it once
   * @throws EngineTimeoutError, EngineUnreachableError; the signal's reason if aborted
   */
  post(url: string, json: string | Buffer, signal: AbortSignal): Promise<EngineResponse> {
    return this.call(url, { method: 'POST', body: json }, signal);
  }

  private call(url: string, request: EngineRequest, signal: AbortSignal): Promise<EngineResponse> {
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
      };
      const fail = (error: Error): void => {
        end();
        reject(error);
      };
      const answer = new WholeAnswer(
        (response) => {
          end();
          resolve(response);
        },
        (error) => {
          fail(unreachable(error));
        },
      );
      const giveUp = (reason: Error): void => {
        fail(reason);
        answer.leave(reason);
      };
      const leave = (): void => {
        giveUp(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      const timer = setTimeout(() => {
        giveUp(new EngineTimeoutError(this.options.timeoutMs));
      }, this.options.timeoutMs);
      this.send(url, request, answer);
    });
  }

  private send(url: string, { method, body }: EngineRequest, answer: WholeAnswer): void {
    const { apiKey } = this.options;
    const { origin, pathname, search } = new URL(url);
    this.dispatcher.dispatch(
      {
        origin,
        path: `${pathname}${search}`,
        method,
        headers: {
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        body: body ?? null,
      },
      answer,
    );
  }
}

const unreachable = (error: Error): EngineUnreachableError => {
  const { code } = error as { readonly code?: unknown };
  const shown = typeof code === 'string' ? code : 'no code';
  return new EngineUnreachableError(`the engine could not be reached (${shown})`, { cause: error });
};
