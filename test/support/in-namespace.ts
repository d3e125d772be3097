import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** A program and its arguments. */
export interface Call {
  readonly file: string;
  readonly args: readonly string[];
}

/** Whether this system lets a program have mounts of its own, as any user: Linux, with user namespaces. */
export const hasNamespaces = (): boolean =>
  spawnSync('unshare', ['-Urm', 'mount', '-t', 'tmpfs', 'x', '/mnt']).status === 0;

/** The same call in a world of its own, in which `script`, lines of sh, has been done first: mounts that nobody else sees. */
export const inNamespace = (script: string, { file, args }: Call): Call => ({
  file: 'unshare',
  args: ['-Urm', 'sh', '-ec', `${script}\nexec "$0" "$@"`, file, ...args],
});

/** The same call as a user who may do nothing that needs a privilege. */
export const withoutPrivileges = ({ file, args }: Call): Call => ({ file: 'unshare', args: ['-U', file, ...args] });

const FIRST_PORT = '/proc/sys/net/ipv4/ip_unprivileged_port_start';

/** The first port on which anybody may listen; 0 where the system does not say. */
export const firstOpenPort = (): number => (existsSync(FIRST_PORT) ? Number(readFileSync(FIRST_PORT, 'utf8')) : 0);
