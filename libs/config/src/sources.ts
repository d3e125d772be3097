import { parse, TomlError } from 'smol-toml';
import { CATALOGUE, type CatalogueEntry } from './catalogue';
import { didYouMean, nearestNameOrNull } from './nearest-name';
import { refusedNameReasonOrNull } from './refused-names';

export type Environment = Readonly<Record<string, string | undefined>>;
/** Returns a file's text, null if there is no such file. */
export type ReadFile = (path: string) => string | null;

/** The variable that names another file than `./openclaw-rl.toml`. */
export const CONFIG_PATH_VARIABLE = 'OPENCLAW_RL_CONFIG';
const DEFAULT_PATH = 'openclaw-rl.toml';

const SECTIONS = [...new Set(CATALOGUE.map((entry) => entry.section))];

/** A value that somebody configured, and where. */
export interface Found {
  readonly value: unknown;
  /** The variable or the file that it comes from. */
  readonly from: string;
}

/** What the file and the environment say, by path; unusable names are added to `problems`. */
export function readSources(env: Environment, readFile: ReadFile, problems: string[]): ReadonlyMap<string, Found> {
  refuseUnknownVariables(env, problems);
  const found = readFileValues(env, readFile, problems);
  for (const entry of CATALOGUE) {
    const variable = entry.env.find((name) => isSet(env[name]));
    if (variable === undefined) continue;
    found.set(entry.path, { value: entry.kind.fromText((env[variable] ?? '').trim()), from: variable });
  }
  return found;
}

/** An empty variable counts as not set, as in `VAR=${VAR:-}` of a compose file. */
export function isSet(value: string | undefined): value is string {
  return value !== undefined && value.trim() !== '';
}

function readFileValues(env: Environment, readFile: ReadFile, problems: string[]): Map<string, Found> {
  const named = env[CONFIG_PATH_VARIABLE];
  const path = isSet(named) ? named : DEFAULT_PATH;
  const content = readFile(path);
  const found = new Map<string, Found>();
  if (content === null) {
    if (isSet(named)) problems.push(`${CONFIG_PATH_VARIABLE} is ${JSON.stringify(named)}: there is no such file`);
    return found;
  }
  for (const [section, keys] of Object.entries(parseOrReport(path, content, problems))) {
    collectSection({ path, section, keys }, found, problems);
  }
  return found;
}

function parseOrReport(path: string, content: string, problems: string[]): Record<string, unknown> {
  try {
    return parse(content, { unsafeKeyBehaviour: 'throw' });
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    // The rest of the parser's message quotes the line, which may hold a key.
    const [reason = ''] = error.message.split('\n');
    problems.push(`${path}, line ${error.line}, column ${error.column}: ${reason}`);
    return {};
  }
}

interface FileSection {
  readonly path: string;
  readonly section: string;
  readonly keys: unknown;
}

function collectSection({ path, section, keys }: FileSection, found: Map<string, Found>, problems: string[]): void {
  const known = CATALOGUE.filter((entry) => entry.section === section);
  if (known.length === 0) {
    problems.push(
      `[${section}] in ${path} is not known${didYouMean(section, SECTIONS)}; sections are ${listSections()}`,
    );
  } else if (typeof keys !== 'object' || keys === null || Array.isArray(keys)) {
    problems.push(`[${section}] in ${path} must be a section with keys`);
  } else {
    for (const [key, value] of Object.entries(keys)) collectKey({ path, section, known, key, value }, found, problems);
  }
}

interface FileKey {
  readonly path: string;
  readonly section: string;
  readonly known: readonly CatalogueEntry[];
  readonly key: string;
  readonly value: unknown;
}

function collectKey(
  { path, section, known, key, value }: FileKey,
  found: Map<string, Found>,
  problems: string[],
): void {
  const name = `${section}.${key}`;
  const refused = refusedNameReasonOrNull(name);
  if (refused !== null) {
    problems.push(`${name} in ${path} is not supported: ${refused}`);
  } else if (!known.some((entry) => entry.key === key)) {
    const keys = known.map((entry) => entry.key).join(', ');
    problems.push(`${name} in ${path} is not known${meantBy(section, key, known)}; keys of [${section}] are ${keys}`);
  } else {
    found.set(name, { value, from: path });
  }
}

function refuseUnknownVariables(env: Environment, problems: string[]): void {
  const known = new Set([CONFIG_PATH_VARIABLE, ...CATALOGUE.flatMap((entry) => entry.env)]);
  for (const name of Object.keys(env).filter((candidate) => isSet(env[candidate]) && !known.has(candidate))) {
    const refused = refusedNameReasonOrNull(name);
    if (refused !== null) problems.push(`${name} is not supported: ${refused}`);
    else if (name.startsWith('OPENCLAW_RL_')) {
      const meant = didYouMean(name, [...known]);
      problems.push(
        `${name} is not known${meant}; variables are OPENCLAW_RL_<SECTION>_<KEY>, sections ${listSections()}`,
      );
    }
  }
}

/** Which setting a key that a section does not have stands for: a misspelt one of it, or one of another section. */
function meantBy(section: string, key: string, known: readonly CatalogueEntry[]): string {
  const near = nearestNameOrNull(
    key,
    known.map((entry) => entry.key),
  );
  const path = near === null ? CATALOGUE.find((entry) => entry.key === key)?.path : `${section}.${near}`;
  return path === undefined ? '' : `; did you mean ${path}?`;
}

function listSections(): string {
  return SECTIONS.join(', ');
}
