import { request } from 'undici';
import { engineUrl } from './endpoints';
import { EngineTimeoutError, EngineUnreachableError } from './engine-errors';

export interface ControlAddress {
  /** Base URL of an engine, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
}

export interface ControlAnswer {
  readonly status: number;
  /** The parsed body; null where it is no JSON. */
  readonly data: unknown;
}

export interface ControlRequest {
  readonly body?: Readonly<Record<string, unknown>>;
  readonly timeoutMs: number;
}

/** Calls an engine's own API, beside the OpenAI one. */
export type ControlCall = (method: 'GET' | 'POST', path: string, request: ControlRequest) => Promise<ControlAnswer>;

const parseOrNull = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};

/** The calls to one engine. They throw EngineTimeoutError and EngineUnreachableError; every status is an answer. */
export const controlCallTo = ({ baseUrl, apiKey }: ControlAddress): ControlCall => {
  const base = engineUrl(baseUrl);
  return async (method, path, { body, timeoutMs }) => {
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      const response = await request(`${base}${path}`, {
        method,
        headers: {
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        signal: limit,
        // Weights may take long to load: the limit above is the only one.
        headersTimeout: 0,
        bodyTimeout: 0,
      });
      return { status: response.statusCode, data: parseOrNull(await response.body.text()) };
    } catch (cause) {
      if (limit.aborted) throw new EngineTimeoutError(timeoutMs);
      throw new EngineUnreachableError('the engine could not be reached', { cause });
    }
  };
};
