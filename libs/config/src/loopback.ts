import { BlockList, isIP } from 'node:net';
import { LRUCache } from 'lru-cache';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Asked for every request, about few hosts. */
const known = new LRUCache<string, boolean>({ max: 1000 });

const find = (host: string): boolean => {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
};

/** Whether only this machine can reach an address to listen on. A name other than localhost may be anything. */
export function isLoopback(host: string): boolean {
  const before = known.get(host);
  if (before !== undefined) return before;
  const answer = find(host);
  known.set(host, answer);
  return answer;
}

/** What is to be said of a server that listens on an address with plain HTTP, or null: `exposed` is what its clients send and get. */
export function plainHttpWarning(host: string, exposed: string): string | null {
  if (isLoopback(host)) return null;
  return `listening on ${host} with plain HTTP: ${exposed} cross the network unencrypted, put TLS in front`;
}
