import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { parse } from 'yaml';

export const ROOT = join(__dirname, '../..');

/** The part of a service in a compose file that tests look at. */
export interface ComposeService {
  readonly image?: string;
  readonly build?: { readonly context: string; readonly target: string };
  readonly env_file?: readonly { readonly path: string; readonly required?: boolean }[];
  readonly ports?: readonly string[];
  readonly networks?: readonly string[] | Readonly<Record<string, unknown>>;
  readonly profiles?: readonly string[];
  readonly deploy?: {
    readonly resources: {
      readonly limits?: { readonly memory?: string; readonly pids?: number };
      readonly reservations?: { readonly devices: readonly unknown[] };
    };
  };
  readonly [key: string]: unknown;
}

/** A file of the repository, or of another place by its whole path. */
export const readText = (path: string): string => readFileSync(resolve(ROOT, path), 'utf8');

/** Services of a compose file by name, with what they share merged in. */
export const servicesOf = (path: string): Readonly<Record<string, ComposeService>> =>
  (parse(readText(path), { merge: true }) as { services: Record<string, ComposeService> }).services;

/** Variables of a file of environment variables. */
export const readEnvFile = (path: string): Record<string, string> =>
  Object.fromEntries(
    readText(path)
      .split('\n')
      .filter((line) => /^\w+=/.test(line))
      .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
  );

/** The apps that have a user of their own at NATS, but for those that end. */
export const ON_THE_BUS: readonly string[] = Object.keys(readEnvFile('deploy/env/nats.env'))
  .map((variable) =>
    variable
      .replace(/^NATS_(\w+)_PASSWORD$/, '$1')
      .toLowerCase()
      .replaceAll('_', '-'),
  )
  .filter((user) => user !== 'doctor' && user !== 'bus-admin');

/**
 * Lines that make a test's nats-server the one of the compose file; its store and its ports must be set behind them. The
 * passwords of deploy/env/nats.env must be in the environment.
 */
export const natsConfigOfCompose = (): string => {
  // An include is looked for from the folder of the configuration, which is one below the folder of temporary files.
  const path = relative(join(tmpdir(), 'nats'), join(ROOT, 'deploy/nats.compose.conf'));
  // What comes later in a configuration wins.
  return `include ${JSON.stringify(path)}\nhttp: "127.0.0.1:-1"`;
};
