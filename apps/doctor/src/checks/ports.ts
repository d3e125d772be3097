import { createServer } from 'node:net';
import type { Check } from '../check';
import { failed, ok, worstOf, type Finding } from '../finding';
import { ask, objectIn } from '../network/http';
import type { Visit } from '../visit';

interface Wanted {
  readonly setting: string;
  readonly host: string;
  readonly port: number;
  /** Where a service of ours would answer there. */
  readonly url: string;
}

/** The system's code if nothing can listen there; null if it can. */
const tryListen = (host: string, port: number): Promise<string | null> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(error.code ?? 'unknown');
    });
    server.listen({ host, port, exclusive: true }, () => {
      server.close(() => {
        resolve(null);
      });
    });
  });

/** Gateway and door tell of themselves alike. */
const isOurs = async (url: string): Promise<boolean> => {
  try {
    const { text } = await ask(`${url}/readyz`);
    return typeof objectIn(text)?.status === 'string';
  } catch {
    return false;
  }
};

const judge = async ({ setting, host, port, url }: Wanted): Promise<Finding> => {
  if (port === 0) return ok(`${setting} 0: a free one`);
  const code = await tryListen(host, port);
  if (code === null) return ok(`${port} is free`);
  if (code === 'EADDRINUSE') {
    if (await isOurs(url)) return ok(`${port} is ours`);
    return failed(`port ${port} on ${host} is taken by another program`, `stop it, or set ${setting} to another port`);
  }
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    return failed(
      `${host} is no address of this machine`,
      `set ${setting.replace('.port', '.host')} to 127.0.0.1, or 0.0.0.0 with keys`,
    );
  }
  return failed(
    `port ${port} on ${host} cannot be listened on (${code})`,
    `set ${setting} to another port, from 1024 on`,
  );
};

const look = async ({ settings, options, gatewayUrl, doorUrl }: Visit): Promise<Finding> => {
  if (options.gateway !== null || options.door !== null) return ok('gateway and door are where the options say');
  const { gateway, door } = settings;
  return worstOf(
    await Promise.all([
      judge({ setting: 'gateway.port', host: gateway.host, port: gateway.port, url: gatewayUrl }),
      judge({ setting: 'door.port', host: door.host, port: door.port, url: doorUrl }),
    ]),
  );
};

export const portsCheck: Check = { id: 'ports', title: 'ports', needs: ['settings'], look };
