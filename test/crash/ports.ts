import { createServer } from 'node:net';
import { until } from '@app/testing';

/**
 * Below the range from which the system takes ports for outgoing connections: one of those could take the port of a service
 * while that is down.
 */
const LOW = 20_000;
const HIGH = 29_000;

let last = LOW + ((process.pid * 64) % (HIGH - LOW));

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => {
      resolve(false);
    });
    server.listen(port, '127.0.0.1', () => {
      server.close(() => {
        resolve(true);
      });
    });
  });

/** A port that stays free while nobody listens on it. */
export const lastingPort = async (): Promise<number> => {
  await until(
    () => {
      last = last < HIGH ? last + 1 : LOW;
      return isFree(last);
    },
    { what: `a free port from ${LOW} to ${HIGH}`, everyMs: 0 },
  );
  return last;
};
