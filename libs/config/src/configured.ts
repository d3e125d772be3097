import { CATALOGUE } from './catalogue';
import { redact } from './redact';
import type { Settings } from './settings';
import { CONFIG_PATH_VARIABLE, isSet, readSources, type Environment, type ReadFile } from './sources';
import { readFileOrNull } from './read-file';

/** A setting that somebody has configured. */
export interface ConfiguredSetting {
  /** As it is used, user and password of a URL hidden. */
  readonly value: unknown;
  /** The variable or the file that it comes from. */
  readonly from: string;
}

/** Paths of the settings that the file or the environment names, e.g. `nats.url`. Says nothing about their values. */
export function configuredSettings(
  env: Environment = process.env,
  readFile: ReadFile = readFileOrNull,
): ReadonlySet<string> {
  return new Set(readSources(env, readFile, []).keys());
}

/** What is configured, by path, as `settings` has it; secrets are left out. */
export function configuredValues(
  settings: Settings,
  env: Environment = process.env,
  readFile: ReadFile = readFileOrNull,
): Readonly<Record<string, ConfiguredSetting>> {
  const found = readSources(env, readFile, []);
  const told = CATALOGUE.filter(({ secret }) => !secret).flatMap(({ path }) => {
    const source = found.get(path);
    return source === undefined ? [] : [[path, { value: valueOf(settings, path), from: source.from }] as const];
  });
  return Object.fromEntries(told);
}

/** A setting's value as it may be shown. */
export function valueOf(settings: Settings, path: string): unknown {
  const entry = CATALOGUE.find((each) => each.path === path);
  if (entry === undefined) return undefined;
  const value = (settings[entry.section] as unknown as Readonly<Record<string, unknown>>)[entry.property];
  return Array.isArray(value) ? value.map((each) => redact(each, entry.secret)) : redact(value, entry.secret);
}

/** The variables of an environment that are settings and hold no secret, and the one that names the file. */
export function plainVariables(env: Environment): Readonly<Record<string, string>> {
  const names = [CONFIG_PATH_VARIABLE, ...CATALOGUE.filter(({ secret }) => !secret).flatMap((entry) => entry.env)];
  return Object.fromEntries(
    names.flatMap((name) => {
      const text = env[name];
      return isSet(text) && redact(text, false) === text ? [[name, text] as const] : [];
    }),
  );
}
