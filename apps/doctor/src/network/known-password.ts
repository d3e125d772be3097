import { connect } from '@nats-io/transport-node';

/** The password of every user at NATS in deploy/env/nats.env. */
const KNOWN = 'development';
const OPERATOR = 'bus-admin';
const WAIT_MS = 2000;

/**
 * Whether NATS lets the operator's user, who may read and delete everything, in by a password that everybody can read, although the
 * passwords are others: as where those of an installation are older than this user.
 *
 * @param urls `nats.url`
 */
export const isOperatorOpen = async (urls: string): Promise<boolean> => {
  const [first = ''] = urls.split(',');
  const { protocol, host, password } = new URL(first.trim());
  if (password === '' || password === KNOWN) return false;
  try {
    const options = {
      servers: `${protocol}//${host}`,
      user: OPERATOR,
      pass: KNOWN,
      reconnect: false,
      timeout: WAIT_MS,
    };
    await (await connect(options)).close();
    return true;
  } catch {
    return false;
  }
};
