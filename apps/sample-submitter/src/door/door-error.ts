import { HttpException } from '@nestjs/common';
import { isRetryable } from '@app/bus';
import { LeaseError } from '@app/pools';

/** An error as trainers see it, in OpenAI's envelope. */
export interface DoorAnswer {
  readonly status: number;
  readonly body: { readonly error: { readonly message: string; readonly type: string; readonly code: string } };
}

/** Thrown for a client that may not come in. */
export class DoorRefusedError extends Error {
  override readonly name = 'DoorRefusedError';

  constructor(
    readonly status: 401 | 403,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const typeOf = (status: number): string => {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 429) return 'rate_limit_error';
  return status < 500 ? 'invalid_request_error' : 'server_error';
};

/** An answer in the door's envelope. */
export const doorAnswer = (status: number, code: string, message: string): DoorAnswer => ({
  status,
  body: { error: { message, type: typeOf(status), code } },
});

/** The message of a framework's refusal: a text, or the list of what is wrong with the fields. */
const textOf = (exception: HttpException): string => {
  const response = exception.getResponse();
  if (typeof response === 'object' && 'message' in response) {
    const { message } = response;
    if (Array.isArray(message)) return message.map(String).join('; ');
    if (typeof message === 'string') return message;
  }
  return exception.message;
};

/** The HTTP status that the framework's errors carry, or null. */
const statusOf = (error: unknown): number | null => {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
};

/** What a trainer is answered for an error; what is not meant for it is a plain 500. `bodyLimit`: of its route, in bytes. */
export const toDoorAnswer = (error: unknown, bodyLimit: number): DoorAnswer => {
  if (error instanceof LeaseError || error instanceof DoorRefusedError) {
    return doorAnswer(error.status, error.code, error.message);
  }
  if (isRetryable(error)) return doorAnswer(503, 'bus_unavailable', 'the bus does not answer at the moment: try again');
  const status = statusOf(error);
  if (status === 413) {
    return doorAnswer(
      413,
      'body_too_large',
      `the request body is over ${bodyLimit} bytes, more than any request here needs`,
    );
  }
  if (error instanceof HttpException) {
    return doorAnswer(status ?? 500, status === 404 ? 'not_found' : 'invalid_request', textOf(error));
  }
  if (error instanceof Error && status !== null && status < 500) {
    return doorAnswer(status, 'invalid_request', error.message);
  }
  return doorAnswer(500, 'internal_error', 'internal error, see the log of sample-submitter');
};
