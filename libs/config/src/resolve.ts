import { parseKeyFile } from './api-keys';
import { CATALOGUE } from './catalogue';
import { CONTRADICTIONS } from './contradictions';
import type { Settings } from './settings';
import { withoutVersion } from './server-url';
import { isSet, type Environment, type ReadFile } from './sources';

/** The usual form of a variable's name. Another word may be the key itself, pasted in the wrong place, and is not shown. */
const VARIABLE = /^[A-Z]+(_[A-Z0-9]+)+$/;

interface Surroundings {
  readonly env: Environment;
  readonly readFile: ReadFile;
  /** Paths of settings that were refused already: nothing is concluded from them. */
  readonly refused: ReadonlySet<string>;
}

/**
 * Puts in what follows from other settings: one URL and key for both models, keys by their variables and files.
 * Changes `settings` in place and returns the problems.
 */
export function resolveSettings(settings: Settings, surroundings: Surroundings): string[] {
  const problems = [...resolveKeyLists(settings, surroundings), ...contradictions(settings, surroundings)];
  problems.push(...resolveServers(settings, surroundings.env));
  resolveAlgorithm(settings);
  return problems;
}

/** A setting by its path and its variables, as problems name it. */
export function nameOf(path: string): string {
  const entry = CATALOGUE.find((candidate) => candidate.path === path);
  return entry === undefined ? path : `${path} (${entry.env.join(', ')})`;
}

function contradictions(settings: Settings, { refused }: Surroundings): string[] {
  return CONTRADICTIONS.filter(({ between }) => !between.some((path) => refused.has(path))).flatMap(
    ({ between, found }) => {
      const complaint = found(settings);
      return complaint === null ? [] : [`${between.map(nameOf).join(', ')}: ${complaint}`];
    },
  );
}

function resolveKeyLists(settings: Settings, { env, readFile }: Surroundings): string[] {
  const problems: string[] = [];
  const shared = env.SGLANG_API_KEY;
  for (const name of ['gateway', 'door'] as const) {
    const section = settings[name];
    const fromFile = readKeyFile(section.apiKeysFile, readFile);
    if (typeof fromFile === 'string') problems.push(`${nameOf(`${name}.api_keys_file`)} ${fromFile}`);
    const fromEnvironment = name === 'gateway' && isSet(shared) ? [shared.trim()] : [];
    const keys = [...section.apiKeys, ...(typeof fromFile === 'string' ? [] : fromFile), ...fromEnvironment];
    Object.assign(section, { apiKeys: Object.freeze([...new Set(keys)]) });
  }
  return problems;
}

/** The keys of a key file, or what is wrong with it. */
function readKeyFile(path: string | null, readFile: ReadFile): string[] | string {
  if (path === null) return [];
  const content = readFile(path);
  if (content === null) return `is ${JSON.stringify(path)}: there is no such file`;
  const keys = parseKeyFile(content);
  if (keys.length === 0) return `is ${JSON.stringify(path)}: the file has no key; write one per line`;
  return keys;
}

function resolveServers(settings: Settings, env: Environment): string[] {
  const { server, opd, trainer, pools } = settings;
  const problems: string[] = [];
  const keyOf = (path: string, variable: string | null): string | null => {
    if (variable === null) return null;
    const value = env[variable];
    if (isSet(value)) return value.trim();
    const named = VARIABLE.test(variable)
      ? `the environment variable ${variable}, which`
      : 'an environment variable that';
    problems.push(`${nameOf(path)} names ${named} is not set; set it, or leave the setting out`);
    return null;
  };
  const policyEngines = pools.policyEngines.map(withoutVersion);
  const prmEngines = pools.prmEngines.map(withoutVersion);
  const baseUrl = orFirst(server.baseUrl, policyEngines);
  const judgeBaseUrl = orFirst(server.judgeBaseUrl, prmEngines) ?? baseUrl;
  const shared = judgeBaseUrl === baseUrl;
  const apiKey = keyOf('server.api_key_env', server.apiKeyEnv);
  const ownJudgeKey = keyOf('server.judge_api_key_env', server.judgeApiKeyEnv);
  Object.assign(trainer, { doorKey: keyOf('trainer.door_key_env', trainer.doorKeyEnv) });
  Object.assign(pools, { policyEngines: Object.freeze(policyEngines), prmEngines: Object.freeze(prmEngines) });
  Object.assign(server, {
    baseUrl,
    judgeBaseUrl,
    apiKey,
    judgeModel: server.judgeModel ?? server.policyModel,
    // A key goes only to the server that it was given for.
    judgeApiKey: server.judgeApiKeyEnv === null && shared ? apiKey : ownJudgeKey,
  });
  Object.assign(opd, { teacherApiKey: keyOf('opd.teacher_api_key_env', opd.teacherApiKeyEnv) });
  return problems;
}

/** One URL stands for a server that has several. */
function orFirst(url: string | null, engines: readonly string[]): string | null {
  return url === null ? (engines[0] ?? null) : withoutVersion(url);
}

/** One word for each method. */
function resolveAlgorithm({ rl }: Settings): void {
  if ((rl.algorithm as string) === 'combine') Object.assign(rl, { algorithm: 'hybrid' });
}
