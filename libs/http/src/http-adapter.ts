import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a request may take to arrive with its body, in milliseconds; what comes later holds a connection for nothing. */
const REQUEST_TIMEOUT_MS = 300_000;
const HEADERS_TIMEOUT_MS = 60_000;

/** A refusal that no route has made. */
export interface Refusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

export interface HttpAdapterOptions {
  /** The app's body for a refusal. */
  readonly envelope: (refusal: Refusal) => object;
  /** Longest parameter of a path, in characters as they stand in the URL. @default 100 */
  readonly maxParamLength?: number;
  /** `/path/` is `/path`. @default false */
  readonly ignoreTrailingSlash?: boolean;
  /** @default 300,000 */
  readonly requestTimeoutMs?: number;
}

/** What Node could not take for a request. */
const refusalOf = (code: string | undefined): Refusal => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return { status: 408, code: 'request_timeout', message: 'the request took too long to arrive' };
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    return { status: 431, code: 'headers_too_large', message: 'the headers are too large' };
  }
  return { status: 400, code: 'malformed_request', message: 'this is not an HTTP request' };
};

const hangUp = (socket: Socket, status: number, body: object): void => {
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'connection: close',
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(text)}`,
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n${text}`);
};

/** Fastify for one of our servers: no request takes for ever, and what never reaches a route is refused in the app's own envelope. */
export const httpAdapter = (options: HttpAdapterOptions): FastifyAdapter => {
  const { envelope, maxParamLength, ignoreTrailingSlash = false, requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  return new FastifyAdapter({
    routerOptions: { ignoreTrailingSlash, ...(maxParamLength === undefined ? {} : { maxParamLength }) },
    requestTimeout: requestTimeoutMs,
    // None of our apps has Nest middlewares.
    skipMiddie: true,
    // While it closes, an app refuses by itself, in its own envelope.
    return503OnClosing: false,
    // Node holds bodies to their limit only if the one for headers is not longer.
    http: {
      headersTimeout: Math.min(HEADERS_TIMEOUT_MS, requestTimeoutMs),
      requestTimeout: requestTimeoutMs,
      connectionsCheckingInterval: Math.min(30_000, requestTimeoutMs),
    },
    clientErrorHandler: (error: NodeJS.ErrnoException, socket: Socket): void => {
      const refusal = refusalOf(error.code);
      if (socket.writable && error.code !== 'ECONNRESET') hangUp(socket, refusal.status, envelope(refusal));
      socket.destroy();
    },
    frameworkErrors: (error: Error & { statusCode?: number }, _request: FastifyRequest, reply: FastifyReply): void => {
      const { statusCode: status = 400, message } = error;
      void reply.status(status).send(envelope({ status, code: 'bad_url', message }));
    },
  });
};
