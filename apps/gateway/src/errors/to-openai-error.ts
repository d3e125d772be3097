import { HttpException, Logger } from '@nestjs/common';
import { BusUnavailableError } from '@app/bus';
import { errorPlace } from '@app/telemetry';
import { OpenAiError } from './openai-error';

/** Status of an error of the HTTP framework (a body over the limit, an unknown route), or null. */
export const frameworkStatus = (error: unknown): number | null => {
  if (error instanceof HttpException) return error.getStatus();
  if (typeof error !== 'object' || error === null || !('statusCode' in error)) return null;
  return typeof error.statusCode === 'number' ? error.statusCode : null;
};

/** Anything that was thrown, as an error in OpenAI's envelope. What is not ours is logged and told as a plain 500. */
export const toOpenAiError = (error: unknown): OpenAiError => {
  if (error instanceof OpenAiError) return error;
  if (error instanceof BusUnavailableError) {
    return new OpenAiError(503, 'bus_unavailable', 'the message bus is not reachable, try again shortly', {
      retryAfterSeconds: 2,
      cause: error,
    });
  }
  const status = frameworkStatus(error);
  const message = error instanceof Error ? error.message : 'unknown error';
  if (status !== null && status < 500) return new OpenAiError(status, null, message);
  new Logger('gateway').error(`a request failed: ${errorPlace(error)}`);
  return new OpenAiError(500, 'internal_error', 'internal error', { cause: error });
};
