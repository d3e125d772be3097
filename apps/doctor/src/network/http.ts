/** A whole answer over HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Local clock, when the first byte was here. */
  readonly at: number;
}

/** Thrown when there was no answer. `code` is the system's, or `timeout`. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';

  constructor(
    readonly code: string,
    options?: ErrorOptions,
  ) {
    super(`no answer (${code})`, options);
  }
}

export interface Question {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly key?: string | null | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** @default 10,000 */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
/** By which the gateway knows the doctor: a program of its own, apart from every client. */
export const USER_AGENT = 'openclaw-rl-doctor';

/** Asks once, follows no redirect. @throws NoAnswerError */
export const ask = async (url: string, question: Question = {}): Promise<Answer> => {
  const { method = 'GET', key, headers, body, timeoutMs = TIMEOUT_MS } = question;
  try {
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
      headers: {
        'user-agent': USER_AGENT,
        ...(typeof key === 'string' ? { authorization: `Bearer ${key}` } : {}),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const at = Date.now();
    return { status: response.status, headers: response.headers, text: await response.text(), at };
  } catch (error) {
    throw new NoAnswerError(codeOf(error), { cause: error });
  }
};

const codeOf = (error: unknown): string => {
  if (error instanceof DOMException && error.name === 'TimeoutError') return 'timeout';
  const { cause } = error as { readonly cause?: { readonly code?: unknown } };
  return typeof cause?.code === 'string' ? cause.code : 'unknown';
};

/** The JSON object of an answer; null for anything else. */
export const objectIn = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
};
