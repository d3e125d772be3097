import type { FastifyAdapter } from '@nestjs/platform-fastify';
import { httpAdapter } from '@app/http';
import { OpenAiError } from '../errors/openai-error';
import { MAX_SESSION_NAME } from './session-name';

/** A name in a URL is up to nine times as long: three bytes a character, three signs a byte. */
const MAX_PARAM_LENGTH = 9 * MAX_SESSION_NAME;

/** The gateway's fastify: session names of any form in URLs, and OpenAI's envelope also where no route is reached. */
export const gatewayAdapter = (requestTimeoutMs?: number): FastifyAdapter =>
  httpAdapter({
    envelope: ({ status, code, message }) => new OpenAiError(status, code, message).body,
    maxParamLength: MAX_PARAM_LENGTH,
    // People write /console/.
    ignoreTrailingSlash: true,
    ...(requestTimeoutMs === undefined ? {} : { requestTimeoutMs }),
  });
