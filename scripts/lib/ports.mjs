import { randomInt } from 'node:crypto';
import { connect, createServer } from 'node:net';
import { Problem } from './problem.mjs';

// Below the ports that systems hand out themselves (Linux from 32768, macOS and Windows from 49152): no listen(0) takes one of these.
const FIRST_PORT = 10_000;
const END_OF_PORTS = 32_768;

/** Listens for a moment. Rejects with the system's error. */
function tryListen(host, port) {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve()));
  });
}

function isFree(host, port) {
  return tryListen(host, port).then(
    () => true,
    () => false,
  );
}

/** A port of this machine that nobody listens on, drawn at random. Nothing reserves it. */
export function freePort() {
  return nextFreePort('127.0.0.1', randomInt(FIRST_PORT, END_OF_PORTS), []);
}

/** The next port that nobody listens on, and that is not among `reserved`; behind the last one, the first from 1024 on. */
async function nextFreePort(host, port, reserved) {
  const others = [...range(port + 1, 65_536), ...range(1024, port)].filter((each) => !reserved.includes(each));
  for (const other of others) if (await isFree(host, other)) return other;
  return 0;
}

function range(first, end) {
  return Array.from({ length: Math.max(0, end - first) }, (_, index) => first + index);
}

/** Refuses a port that is taken, by the name of the setting that asked for it; names a free one that is none of `reserved`. */
export async function requireFreePort({ host, port, path, env, reserved = [] }) {
  if (port === 0) return;
  try {
    await tryListen(host, port);
  } catch (error) {
    const names = `${path} (${env.join(', ')})`;
    const variable = env.at(-1);
    if (error.code === 'EADDRINUSE') {
      const other = await nextFreePort(host, port, reserved);
      throw new Problem(
        `Port ${port} on ${host} is taken, and ${names} asks for it.\n` +
          `Stop what listens there, or choose another port: ${variable}=${other} npm start`,
      );
    }
    throw new Problem(`Cannot listen on ${host}:${port}, as ${names} asks: ${error.message}`);
  }
}

/** A URL that something listens on, as a client on this machine writes it. */
export function reachedAt(url) {
  return url.replace(/\/$/, '').replace(/\/\/(0\.0\.0\.0|\[::\])/, '//127.0.0.1');
}

/** Whether something accepts connections. */
export function answers(host, port, timeoutMs = 3000) {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: timeoutMs });
    const finish = (answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', () => finish(true));
    socket.once('error', () => finish(false));
    socket.once('timeout', () => finish(false));
  });
}
