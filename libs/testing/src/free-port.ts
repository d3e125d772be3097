import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems hand out themselves (Linux from 32768, macOS and Windows from 49152): no `listen(0)` takes one of these. */
const FIRST = 10_000;
const END = 32_768;
const TRIES = 100;

/** Thrown when no TCP port of the range is free. */
export class NoFreePortError extends Error {
  override readonly name = 'NoFreePortError';
}

const canListen = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(new NoFreePortError(`No TCP port on ${host}. Is the address one of this machine?`, { cause: error }));
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(true);
      });
    });
  });

/** A TCP port of `host` that nobody listens on, drawn at random. Nothing reserves it. */
export const freePort = async (host = '127.0.0.1'): Promise<number> => {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const port = randomInt(FIRST, END);
    if (await canListen(host, port)) return port;
  }
  throw new NoFreePortError(`${TRIES} TCP ports of ${FIRST} to ${END - 1} on ${host} are all taken.`);
};
