import { lookup } from 'node:dns/promises';
import { connect, isIP } from 'node:net';

const CONNECT_MS = 3000;
const LOOPBACKS = ['127.0.0.1', '::1'];

/** An address that was tried. */
export interface Tried {
  readonly address: string;
  /** null: a connection was made; else the system's code (`ECONNREFUSED`), or `ETIMEDOUT`. */
  readonly code: string | null;
}

/** Whether connections can be made to where a URL points. */
export interface Reach {
  readonly host: string;
  readonly port: number;
  /** Every address that the host has; none: it has no address. */
  readonly tried: readonly Tried[];
  /** Addresses of this machine beside those, where something listens on the same port. */
  readonly elsewhere: readonly string[];
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { 'https:': 443, 'http:': 80, 'nats:': 4222, 'tls:': 4222 };

const knock = (address: string, port: number): Promise<Tried> =>
  new Promise((resolve) => {
    const socket = connect({ host: address, port, timeout: CONNECT_MS });
    const end = (code: string | null): void => {
      socket.destroy();
      resolve({ address, code });
    };
    socket.once('connect', () => {
      end(null);
    });
    socket.once('timeout', () => {
      end('ETIMEDOUT');
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      end(error.code ?? 'unknown');
    });
  });

const addressesOf = async (host: string): Promise<readonly string[]> => {
  if (isIP(host) !== 0) return [host];
  try {
    return [...new Set((await lookup(host, { all: true })).map(({ address }) => address))];
  } catch {
    return [];
  }
};

/** Knocks at every address of a URL's host; where nobody is at one of this machine, at its other one as well. */
export const reach = async (url: string): Promise<Reach> => {
  const { protocol, hostname, port: written } = new URL(url);
  // An IPv6 address stands in brackets.
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = Number(written === '' ? (DEFAULT_PORTS[protocol] ?? 80) : written);
  const addresses = await addressesOf(host);
  const tried = await Promise.all(addresses.map((address) => knock(address, port)));
  const isAtHome = addresses.some((address) => LOOPBACKS.includes(address)) && tried.every(({ code }) => code !== null);
  const others = isAtHome ? LOOPBACKS.filter((address) => !addresses.includes(address)) : [];
  const elsewhere = (await Promise.all(others.map((address) => knock(address, port)))).filter(
    ({ code }) => code === null,
  );
  return { host, port, tried, elsewhere: elsewhere.map(({ address }) => address) };
};
