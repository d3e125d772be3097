import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';

/** Nothing that is asked here may take longer: a hang is a failure. */
export const BOUND_MS = 20_000;

/** Thrown when an answer does not come in time. */
export class HangError extends Error {
  override readonly name = 'HangError';
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** false: the connection broke before the whole answer was there. */
  readonly whole: boolean;
}

export interface Question {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: Buffer | string;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });

/** Closes the connections that are kept. */
export const hangUp = (): void => {
  agent.destroy();
};

/** Asks over HTTP, body byte for byte. @throws HangError */
export const ask = (base: string, question: Question): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const { method = 'POST', path, headers = {}, body = '' } = question;
    const url = new URL(base);
    const request = httpRequest({
      agent,
      method,
      // As it is: a URL object would write the path anew.
      path,
      host: url.hostname,
      port: url.port,
      headers: { 'content-type': 'application/json', ...headers },
      signal: AbortSignal.timeout(BOUND_MS),
    });
    request.on('error', (cause) => {
      reject(cause.name === 'AbortError' ? new HangError(`no answer to ${method} ${path}`, { cause }) : cause);
    });
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      const answer = (whole: boolean): void => {
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(pieces),
          whole: whole && response.complete,
        });
      };
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('end', () => {
        answer(true);
      });
      response.on('error', () => {
        answer(false);
      });
    });
    // As bytes: Node would write the headers in the encoding of a text that goes with them.
    request.end(Buffer.from(body));
  });

/** Sends bytes as they are and returns everything that comes back until the other side closes. @throws HangError */
export const sendRaw = (
  base: string,
  pieces: readonly (Buffer | string)[],
  boundMs = BOUND_MS,
): Promise<{ status: number; head: string; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    const socket = connect({ host: hostname, port: Number(port) });
    let received = '';
    const timer = setTimeout(() => {
      socket.destroy();
      reject(new HangError(`the connection was still open; so far: ${received.slice(0, 200)}`));
    }, boundMs);
    socket.on('connect', () => {
      for (const piece of pieces) socket.write(piece);
    });
    socket.on('data', (data) => (received += data.toString('latin1')));
    socket.on('error', () => undefined);
    socket.on('close', () => {
      clearTimeout(timer);
      const end = received.indexOf('\r\n\r\n');
      const head = end === -1 ? received : received.slice(0, end);
      resolve({
        status: Number(/^HTTP\/1\.1 (\d+)/.exec(head)?.[1] ?? 0),
        head,
        body: end === -1 ? '' : received.slice(end + 4),
      });
    });
  });
