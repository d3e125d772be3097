import { createServer } from 'node:net';

/** Thrown when the system gives no TCP port. */
export class NoFreePortError extends Error {
  override readonly name = 'NoFreePortError';
}

/** A TCP port of `host` that was free a moment ago. Take it at once: nothing reserves it. */
export function freePort(host = '127.0.0.1'): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (cause) => {
      reject(new NoFreePortError(`No free TCP port on ${host}. Is the address one of this machine?`, { cause }));
    });
    server.listen(0, host, () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      server.close(() => {
        resolve(port);
      });
    });
  });
}
