import { randomUUID } from 'node:crypto';
import { connect } from '@nats-io/transport-node';

/** The password of every user at NATS in deploy/env/nats.env. */
const KNOWN = 'development';
/** The users of deploy/nats.compose.conf. */
export const NATS_USERS: readonly string[] = [
  'gateway',
  'session-tracker',
  'prm-judge',
  'opd-teacher',
  'sample-submitter',
  'doctor',
  'bus-admin',
];
const WAIT_MS = 2000;

/** A server that lets in whoever knows what everybody knows. */
export interface OpenServer {
  readonly host: string;
  /** Who has the password that everybody can read; null: the server asks for none. */
  readonly users: readonly string[] | null;
}

const isLetIn = async (server: string, user: string, pass: string): Promise<boolean> => {
  try {
    await (await connect({ servers: server, user, pass, reconnect: false, timeout: WAIT_MS })).close();
    return true;
  } catch {
    return false;
  }
};

const lookAt = async ({ protocol, host }: URL): Promise<OpenServer> => {
  const server = `${protocol}//${host}`;
  if (await isLetIn(server, 'nobody', randomUUID())) return { host, users: null };
  const areLetIn = await Promise.all(NATS_USERS.map((user) => isLetIn(server, user, KNOWN)));
  return { host, users: NATS_USERS.filter((_, i) => areLetIn[i]) };
};

/**
 * Servers that let users in by a password that everybody can read, or anybody by any, although others have been set: as where those of
 * an installation are older than a user, or a server was not started again with new ones. None where all are as they come.
 *
 * @param urls `nats.url`
 */
export const findOpenServers = async (urls: string): Promise<readonly OpenServer[]> => {
  const servers = urls.split(',').map((url) => new URL(url.trim()));
  // As the client has it: the first user that is named is the user of all.
  const password = servers.find(({ username }) => username !== '')?.password ?? '';
  if (password === '') return [];
  const looked = await Promise.all(servers.map(lookAt));
  const isAsItComes = ({ users }: OpenServer): boolean => password === KNOWN && users?.length === NATS_USERS.length;
  return looked.filter((server) => server.users?.length !== 0 && !isAsItComes(server));
};
