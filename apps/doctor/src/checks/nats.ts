import type { Check } from '../check';
import { NatsRefusedError } from '../bus-visit';
import { failed, ok, worstOf, type Finding } from '../finding';
import { judgeReach } from '../network/judge-reach';
import { reach } from '../network/reach';
import type { Visit } from '../visit';
import { notRunning } from './not-running';

const OLDEST = [2, 9, 10] as const;

/** Whether a version is one that is new enough, `2.9.10`. */
export const isNewEnough = (version: string): boolean => {
  const parts = version.split(/[.-]/).map(Number);
  const different = OLDEST.findIndex((least, i) => parts[i] !== least);
  return different === -1 || (parts[different] ?? 0) > (OLDEST[different] ?? 0);
};

const refusalOf = (error: NatsRefusedError): Finding =>
  /authorization|authentication|permission/i.test(error.message)
    ? failed(error.message, "mend user and password in nats.url: they have to be those of the server's configuration")
    : failed(error.message, 'is that a NATS server? mend nats.url');

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
    const version = nc.info?.version ?? '0';
    if (!isNewEnough(version)) {
      return failed(`nats-server ${version} is too old`, `install nats-server ${OLDEST.join('.')} or later`);
    }
    const others = worstOf(places);
    return others.status === 'ok' ? ok(`nats-server ${version} answers`) : others;
  } catch (error) {
    if (error instanceof NatsRefusedError) return refusalOf(error);
    throw error;
  }
};

export const natsCheck: Check = { id: 'nats', title: 'NATS', needs: ['settings'], look };
