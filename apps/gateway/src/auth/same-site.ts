import { isIP } from 'node:net';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { isLoopback } from '@app/config';
import { OpenAiError } from '../errors/openai-error';

/** Names by which containers reach the machine that runs them. */
const HOST_OF_CONTAINERS = new Set(['host.docker.internal', 'host.containers.internal']);

const refuse = (header: string): OpenAiError =>
  new OpenAiError(
    403,
    'cross_site_refused',
    `${header}: without API keys this server answers no web pages of other sites; configure gateway.api_keys`,
    { param: header },
  );

const hostOf = (url: string): string | null => {
  try {
    return new URL(url).hostname.replace(/^\[|\]$/g, '');
  } catch {
    return null;
  }
};

/** Clients come under few names, again and again. */
const known = new LRUCache<string, boolean>({ max: 1000 });

const isOurs = (host: string | null): boolean =>
  host !== null && (isLoopback(host) || host.endsWith('.localhost') || HOST_OF_CONTAINERS.has(host));

/** Whether a Host header names this machine, or an address, which no page can point elsewhere. */
const isOurName = (header: string): boolean => {
  const before = known.get(header);
  if (before !== undefined) return before;
  const name = hostOf(`http://${header}`);
  const answer = name === null || isIP(name) !== 0 || isOurs(name);
  known.set(header, answer);
  return answer;
};

/**
 * Without keys, a browser is the one client on this machine that others can steer: any page may send requests here, and by
 * a name that it points at this address even read the answers.
 * @throws OpenAiError 403 for a request of another site, or under a name that is not this machine's
 */
export const assertSameSite = (headers: IncomingHttpHeaders): void => {
  const { host, origin } = headers;
  if (headers['sec-fetch-site'] === 'cross-site') throw refuse('sec-fetch-site');
  if (origin !== undefined && !isOurs(hostOf(origin))) throw refuse('origin');
  if (host !== undefined && !isOurName(host)) throw refuse('host');
};
