import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { OpenAiError } from '../errors/openai-error';
import { toOpenAiError } from '../errors/to-openai-error';
import { MAX_SESSION_NAME } from './session-name';

/** A name in a URL is up to nine times as long: three bytes a character, three signs a byte. */
const MAX_PARAM_LENGTH = 9 * MAX_SESSION_NAME;

/** How long a request may take to arrive with its body, in milliseconds; what comes later holds a connection for nothing. */
const REQUEST_TIMEOUT_MS = 300_000;

/** What Node could not take for a request, before any route has seen it. */
const errorOf = (code: string | undefined): OpenAiError => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new OpenAiError(408, 'request_timeout', 'the request took too long to arrive');
  }
  if (code === 'HPE_HEADER_OVERFLOW') return new OpenAiError(431, 'headers_too_large', 'the headers are too large');
  return new OpenAiError(400, 'malformed_request', 'this is not an HTTP request');
};

const refuse = (cause: NodeJS.ErrnoException, socket: Socket): void => {
  if (socket.writable && cause.code !== 'ECONNRESET') {
    const { status, body } = errorOf(cause.code);
    const text = JSON.stringify(body);
    const head = [
      `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
      'connection: close',
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(text)}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
  }
  socket.destroy();
};

/** The gateway's fastify: session names of any form in URLs, no endless requests, and OpenAI's envelope where no route is reached. */
export const gatewayAdapter = (requestTimeoutMs = REQUEST_TIMEOUT_MS): FastifyAdapter =>
  new FastifyAdapter({
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: requestTimeoutMs,
    // Node holds bodies to their limit only if the one for headers is not longer.
    http: {
      headersTimeout: Math.min(60_000, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(30_000, requestTimeoutMs),
    },
    clientErrorHandler: refuse,
    frameworkErrors: (error: Error, _request: FastifyRequest, reply: FastifyReply): void => {
      const { status, body } = toOpenAiError(error);
      void reply.status(status).send(body);
    },
  });
