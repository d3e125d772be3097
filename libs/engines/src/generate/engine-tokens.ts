import type { UpstreamClient } from '../upstream-client';

/** Thrown when an engine does not turn messages into tokens, or tokens into text. */
export class EngineTokensError extends Error {
  override readonly name = 'EngineTokensError';
}

type Json = Readonly<Record<string, unknown>>;

const TIMEOUT_MS = 30_000;

const post = async (engine: UpstreamClient, path: string, body: Json): Promise<Json> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const response = await engine.request('POST', path, { body: JSON.stringify(body), signal });
  const text = await response.body.text();
  if (response.status !== 200) throw new EngineTokensError(`${path} answered with status ${response.status}`);
  try {
    return JSON.parse(text) as Json;
  } catch (cause) {
    throw new EngineTokensError(`${path} answered with what is no JSON`, { cause });
  }
};

const isId = (value: unknown): value is number => Number.isInteger(value);

/** A body without a model's name where there is none. */
const named = ({ model, ...body }: Json): Json => (model === null ? body : { model, ...body });

/**
 * The prompt that an engine's chat makes of a request's messages, by its `/v1/tokenize`.
 *
 * @throws EngineTokensError, UpstreamUnreachableError
 */
export const tokenizeChat = async (engine: UpstreamClient, request: Json): Promise<readonly number[]> => {
  const { tokens } = await post(engine, '/tokenize', named(request));
  if (Array.isArray(tokens) && tokens.length > 0 && tokens.every(isId)) return tokens;
  throw new EngineTokensError('/tokenize makes no prompt of messages');
};

/**
 * The text of tokens, special ones included, by an engine's `/v1/detokenize`.
 *
 * @throws EngineTokensError, UpstreamUnreachableError
 */
export const detokenize = async (engine: UpstreamClient, request: Json): Promise<string> => {
  const { text } = await post(engine, '/detokenize', { ...named(request), skip_special_tokens: false });
  if (typeof text === 'string') return text;
  throw new EngineTokensError('/detokenize gives no text');
};
