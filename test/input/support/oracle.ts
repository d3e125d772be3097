import type { Answer } from './ask';
import { ask } from './ask';

/** Thrown when an answer is not what every client of this API can rely on. */
export class OracleError extends Error {
  override readonly name = 'OracleError';
}

export interface OpenAiErrorShape {
  readonly message: string;
  readonly type: string;
  readonly param: string | null;
  readonly code: string | null;
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';

/** The `error` of an answer in OpenAI's envelope. @throws OracleError for anything else. */
export const openAiErrorOf = (answer: Pick<Answer, 'status' | 'body'>): OpenAiErrorShape => {
  const text = answer.body.toString('utf8');
  const fail = (why: string): OracleError => new OracleError(`${why}: ${answer.status} ${text.slice(0, 300)}`);
  if (answer.status < 400 || answer.status > 599) throw fail('not an error');
  let value: any;
  try {
    value = JSON.parse(text);
  } catch {
    throw fail('an error that is not JSON');
  }
  const error = value?.error;
  if (typeof error?.message !== 'string' || error.message === '') throw fail('an error without a message');
  if (typeof error.type !== 'string') throw fail('an error without a type');
  if (!isTextOrNull(error.param) || !isTextOrNull(error.code)) throw fail('an error with an odd param or code');
  return error as OpenAiErrorShape;
};

/** An error that is the client's fault, and said so. */
export const clientErrorOf = (answer: Pick<Answer, 'status' | 'body'>): OpenAiErrorShape => {
  const error = openAiErrorOf(answer);
  if (answer.status >= 500) {
    throw new OracleError(`a bad request was called the server's fault: ${answer.status} ${error.message}`);
  }
  return error;
};

/** The gateway lives, is ready, and serves a plain chat. */
export const isHealthy = async (base: string, headers: Record<string, string> = {}): Promise<boolean> => {
  const health = await ask(base, { method: 'GET', path: '/healthz' });
  const chat = await ask(base, {
    path: '/v1/chat/completions',
    headers: { ...headers, 'x-request-id': 'health' },
    body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'are you well?' }] }),
  });
  return health.status === 200 && chat.status === 200;
};
