/** Kinds of error in OpenAI's envelope. */
export type OpenAiErrorType =
  'invalid_request_error' | 'authentication_error' | 'not_found_error' | 'rate_limit_error' | 'server_error';

const TYPES: Readonly<Record<number, OpenAiErrorType>> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
};

/** What a client of an OpenAI-compatible server expects of a failed request. */
export interface OpenAiErrorBody {
  readonly detail?: string;
  readonly error: {
    readonly message: string;
    readonly type: OpenAiErrorType;
    readonly param: string | null;
    readonly code: string | null;
  };
}

/** Thrown for every request that the gateway answers with an error of its own. */
export class OpenAiError extends Error {
  override readonly name = 'OpenAiError';
  readonly param: string | null;
  readonly retryAfterSeconds: number | null;
  readonly detail: string | undefined;

  constructor(
    readonly status: number,
    readonly code: string | null,
    message: string,
    options: { param?: string; retryAfterSeconds?: number; detail?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.param = options.param ?? null;
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.detail = options.detail;
  }

  get type(): OpenAiErrorType {
    return TYPES[this.status] ?? (this.status < 500 ? 'invalid_request_error' : 'server_error');
  }

  get body(): OpenAiErrorBody {
    const { message, type, param, code } = this;
    return { ...(this.detail === undefined ? {} : { detail: this.detail }), error: { message, type, param, code } };
  }

  get headers(): Record<string, string> {
    return this.retryAfterSeconds === null ? {} : { 'retry-after': String(this.retryAfterSeconds) };
  }
}

/** 400: the request itself is wrong, in the field named. */
export const invalidRequest = (param: string, message: string): OpenAiError =>
  new OpenAiError(400, null, `${param}: ${message}`, { param });
