import { isLoopback } from '@app/config';
import { failed, ok, warning, type Finding } from '../finding';
import type { Reach, Tried } from './reach';

/** Whose address it is. */
export interface Place {
  /** `the policy`. */
  readonly what: string;
  /** The setting that names it. */
  readonly setting: string;
  /** Whether the doctor runs inside a container, where 127.0.0.1 is the container itself. */
  readonly isContainer: boolean;
}

const shown = (address: string, port: number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`;

const addresses = (tried: readonly Tried[]): string => tried.map(({ address }) => address).join(' and ');

/** What follows from knocking at where a URL points. */
export const judgeReach = (reach: Reach, place: Place): Finding => {
  const { host, port, tried } = reach;
  const at = shown(host, port);
  const open = tried.filter(({ code }) => code === null);
  const closed = tried.filter(({ code }) => code !== null);
  if (tried.length === 0) {
    return failed(
      `${place.what}: the host ${host} has no address`,
      `mend the host's name in ${place.setting}, or the name server`,
    );
  }
  if (open.length > 0 && closed.length > 0) {
    return warning(
      `${place.what}: ${host} is ${addresses(tried)} here, and only ${addresses(open)} answers on port ${port}`,
      `write ${shown(open[0]?.address ?? host, port)} in ${place.setting}: programs that try the first address alone are refused`,
    );
  }
  if (open.length > 0) return ok(`${place.what}: ${at} accepts connections`);
  return failed(`${place.what}: ${failureAt(at, closed)}`, remedyFor(reach, place));
};

const failureAt = (at: string, closed: readonly Tried[]): string => {
  const codes = [...new Set(closed.map(({ code }) => code))];
  if (codes.includes('ECONNREFUSED')) return `connection refused at ${at}`;
  if (codes.includes('ETIMEDOUT')) return `no answer from ${at}`;
  return `no connection to ${at} (${codes.join(', ')})`;
};

const remedyFor = ({ host, port, tried, elsewhere }: Reach, { setting, isContainer }: Place): string => {
  const [other] = elsewhere;
  if (other !== undefined) return `something listens on ${shown(other, port)}: write that in ${setting}`;
  if (isContainer && isLoopback(host)) {
    return `start it if it runs in this container; inside a container ${host} is the container itself, so else name the host or the service in ${setting} (host.docker.internal, a service's name)`;
  }
  if (tried.some(({ code }) => code === 'ECONNREFUSED')) {
    return `nothing listens there: start it, or mend host and port in ${setting}`;
  }
  return `look at the network and its firewall, or mend ${setting}`;
};
