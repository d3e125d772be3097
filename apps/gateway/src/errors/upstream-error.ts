import { ClientGoneError, UpstreamTimeoutError, UpstreamUnreachableError } from '@app/engines';
import { OpenAiError } from './openai-error';

/** Nobody is left to read it; the status is the one proxies log for a client that closed its connection. */
const CLIENT_CLOSED_REQUEST = 499;

/** What a failed upstream call is for the client: 504 for a time limit, 502 for anything else. */
export const upstreamError = (error: unknown, turnId: string): OpenAiError => {
  if (error instanceof OpenAiError) return error;
  if (error instanceof ClientGoneError) {
    return new OpenAiError(CLIENT_CLOSED_REQUEST, 'client_gone', error.message, { cause: error });
  }
  if (error instanceof UpstreamTimeoutError) {
    return new OpenAiError(504, `upstream_${error.phase}_timeout`, error.message, { cause: error });
  }
  const what = error instanceof UpstreamUnreachableError ? error.message : "the model's answer ended early";
  const code = error instanceof UpstreamUnreachableError ? 'upstream_unreachable' : 'upstream_ended_early';
  return new OpenAiError(502, code, `${what} (turn ${turnId})`, { cause: error });
};
