import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isRecord } from '@app/chat';
import type { Environment } from '@app/config';

type Json = Readonly<Record<string, unknown>>;

/** A provider of OpenClaw's configuration. */
export interface Provider {
  readonly id: string;
  readonly fields: Json;
}

/** What of an OpenClaw on this machine can be read. */
export interface OpenClaw {
  readonly path: string;
  readonly providers: readonly Provider[];
  /** `auth.profiles`: logins and keys by name. */
  readonly profiles: readonly { readonly id: string; readonly provider: string; readonly mode: string }[];
  /** Files of logins that this OpenClaw has retired. */
  readonly retired: readonly string[];
}

/** Thrown for a configuration that is there and cannot be read. */
export class OpenClawConfigError extends Error {
  override readonly name = 'OpenClawConfigError';
}

/** Comments, and commas before a bracket, are allowed there and not in JSON; strings are left as they are. */
const STRING_OR_EXTRA = /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\/|,(?=\s*[}\]])/g;

const parse = (text: string): unknown =>
  JSON.parse(text.replace(STRING_OR_EXTRA, (_, string?: string) => string ?? ''));

const objectOf = (value: unknown): Json => (isRecord(value) ? value : {});
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

const retiredIn = (folder: string): string[] => {
  const agents = join(folder, 'agents');
  if (!existsSync(agents)) return [];
  return readdirSync(agents)
    .map((agent) => join(agents, agent, 'agent', 'auth-profiles.json'))
    .filter((path) => existsSync(path));
};

/** The configuration of the OpenClaw of this user; null: there is none. @throws OpenClawConfigError */
export const readOpenClaw = (env: Environment): OpenClaw | null => {
  const folder = env.OPENCLAW_STATE_DIR ?? join(env.HOME ?? homedir(), '.openclaw');
  const path = env.OPENCLAW_CONFIG_PATH ?? join(folder, 'openclaw.json');
  if (!existsSync(path)) return null;
  let config: Json;
  try {
    config = objectOf(parse(readFileSync(path, 'utf8')));
  } catch {
    throw new OpenClawConfigError(`${path} could not be read`);
  }
  const { providers } = objectOf(config.models);
  const { profiles } = objectOf(config.auth);
  return {
    path,
    providers: Object.entries(objectOf(providers)).map(([id, fields]) => ({ id, fields: objectOf(fields) })),
    profiles: Object.entries(objectOf(profiles)).map(([id, fields]) => {
      const { provider, mode } = objectOf(fields);
      return { id, provider: textOf(provider), mode: textOf(mode) };
    }),
    retired: retiredIn(folder),
  };
};

/** Providers whose requests go to the gateway: those that name its port. */
export const providersOf = ({ providers }: OpenClaw, gatewayUrl: string): readonly Provider[] => {
  const { port } = new URL(gatewayUrl);
  return providers.filter(({ fields }) => {
    const url = textOf(fields.baseUrl);
    return URL.canParse(url) && new URL(url).port === port;
  });
};
