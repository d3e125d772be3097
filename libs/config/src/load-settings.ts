import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { CATALOGUE, type CatalogueEntry } from './catalogue';
import { resolveSettings } from './resolve';
import { readFileOrNull } from './read-file';
import { redact } from './redact';
import { Settings } from './settings';
import { SettingsError } from './settings-error';
import { readSources, type Environment, type Found, type ReadFile } from './sources';

/**
 * Reads all settings: defaults, then the file, then the environment.
 *
 * @param env the environment, never patched
 * @param readFile returns a file's text, null if there is none
 * @throws SettingsError with every problem at once
 */
export function loadSettings(env: Environment = process.env, readFile: ReadFile = readFileOrNull): Settings {
  const problems: string[] = [];
  const found = readSources(env, readFile, problems);
  const refused = new Set<string>();
  const sections = Object.entries(new Settings()).map(([name, defaults]) => {
    const entries = CATALOGUE.filter((entry) => entry.section === name);
    return [name, checkSection(defaults as object, { entries, found, refused, problems })];
  });
  const settings = Object.assign(new Settings(), Object.fromEntries(sections)) as Settings;
  problems.push(...resolveSettings(settings, { env, readFile, refused }));
  if (problems.length > 0) throw new SettingsError(problems);
  for (const section of Object.values(settings)) Object.freeze(section);
  return Object.freeze(settings);
}

interface SectionCheck {
  readonly entries: readonly CatalogueEntry[];
  readonly found: ReadonlyMap<string, Found>;
  readonly refused: Set<string>;
  readonly problems: string[];
}

/** The section with what was found; a refused value is reported and its default stays. */
function checkSection(defaults: object, { entries, found, refused, problems }: SectionCheck): object {
  const configured = entries.flatMap((entry) => {
    const value = found.get(entry.path)?.value;
    const isNothing = value === undefined || (value === '' && entry.default === null);
    return isNothing ? [] : [[entry.property, value] as const];
  });
  const constructor = defaults.constructor as new () => object;
  const section = plainToInstance(constructor, Object.fromEntries(configured));
  for (const { property } of validateSync(section)) {
    const entry = entries.find((candidate) => candidate.property === property);
    if (entry === undefined) continue;
    refused.add(entry.path);
    problems.push(describeRefusal(entry, found.get(entry.path)));
    Object.assign(section, { [property]: entry.default });
  }
  return section;
}

function describeRefusal(entry: CatalogueEntry, found: Found | undefined): string {
  const shown = JSON.stringify(redact(found?.value, entry.secret));
  return `${entry.path} (${entry.env.join(', ')}) is ${shown}, from ${found?.from ?? 'nowhere'}; allowed: ${entry.kind.allowed}`;
}
