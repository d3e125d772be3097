import type { Check } from '../check';
import { NatsRefusedError } from '../bus-visit';
import { failed, ok, warning, worstOf, type Finding } from '../finding';
import { findOpenServers, type OpenServer } from '../network/known-password';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { notRunning } from './not-running';

const OLDEST = [2, 9, 10] as const;
/** Servers of a cluster that are older have been seen to number their copies of a bucket differently. */
const OLDEST_OF_CLUSTER = [2, 11, 0] as const;

const isSince = (version: string, oldest: readonly number[]): boolean => {
  const parts = version.split(/[.-]/).map(Number);
  const different = oldest.findIndex((least, i) => parts[i] !== least);
  return different === -1 || (parts[different] ?? 0) > (oldest[different] ?? 0);
};

/** What there is to say of a server's version, `2.9.10`, where so many copies of everything are kept. */
export const judgeVersion = (version: string, copies: number): Finding => {
  if (!isSince(version, OLDEST))
    return failed(`nats-server ${version} is too old`, `install nats-server ${OLDEST.join('.')} or later`);
  return copies > 1 && !isSince(version, OLDEST_OF_CLUSTER)
    ? warning(
        `nats-server ${version} is old for a cluster: after the loss of a server its copies may differ`,
        `install nats-server ${OLDEST_OF_CLUSTER.join('.')} or later on each server`,
      )
    : ok(`nats-server ${version} answers`);
};

const refusalOf = (error: NatsRefusedError): Finding =>
  /authorization|authentication|permission/i.test(error.message)
    ? failed(error.message, "mend user and password in nats.url: they have to be those of the server's configuration")
    : failed(error.message, 'is that a NATS server? mend nats.url');

const POWERS: Readonly<Record<string, string>> = { 'bus-admin': ', who may read and delete everything' };

const variableOf = (user: string): string => `NATS_${user.toUpperCase().replaceAll('-', '_')}_PASSWORD`;

const judgeOpenServer = ({ host, users }: OpenServer): Finding =>
  users === null
    ? warning(`${host} lets anybody in by any password`, `give that server the users of deploy/nats.compose.conf`)
    : warning(
        `${host} takes the password that everybody knows of ${users.map((user) => user + (POWERS[user] ?? '')).join('; ')}`,
        'sh deploy/new-secrets.sh --missing && docker compose up -d; if that does not help, docker compose stop gateway && ' +
          'sh deploy/new-secrets.sh --renew && docker compose up -d; ' +
          `elsewhere set ${users.map(variableOf).join(', ')} and start the server anew`,
      );

const look = async (visit: Visit): Promise<Finding> => {
  const { settings, running, configured, isContainer } = visit;
  const isOurs = running === null && !configured.has('nats.url');
  if (isOurs) return notRunning(visit, 'it brings a NATS server of its own');
  const urls = settings.nats.url.split(',');
  const places = await Promise.all(
    urls.map(async (url) => judgeReach(await reach(url), { what: 'NATS', setting: 'nats.url', isContainer })),
  );
  if (places.every(({ status }) => status === 'failed')) return worstOf(places);
  try {
    const { nc } = await visit.bus.session();
    const found = judgeVersion(nc.info?.version ?? '0', settings.nats.replicas);
    const open = (await findOpenServers(settings.nats.url)).map(judgeOpenServer);
    const worst = worstOf([found, ...open, ...places]);
    return worst.status === 'ok' ? found : worst;
  } catch (error) {
    if (error instanceof NatsRefusedError) return refusalOf(error);
    throw error;
  }
};

export const natsCheck: Check = { id: 'nats', title: 'NATS', needs: ['settings'], look };
