import { CATALOGUE } from './catalogue';

/** One row of the configuration table. */
export interface SettingRow {
  /** Path in the file, e.g. `judge.timeout_s`. */
  readonly path: string;
  /** Variables, the one that wins first. */
  readonly env: readonly string[];
  readonly default: string;
  readonly allowed: string;
  readonly about: string;
}

/** Every setting, for people. */
export function describeSettings(): readonly SettingRow[] {
  return CATALOGUE.map(({ path, env, default: value, shownDefault, kind, about }) => ({
    path,
    env,
    default: shownDefault ?? showDefault(value),
    allowed: kind.allowed,
    about,
  }));
}

/** The configuration table in Markdown. */
export function settingsTable(): string {
  const rows = describeSettings().map(({ path, env, default: value, allowed, about }) => {
    const names = env.map((name) => `\`${name}\``).join(', ');
    return `| \`${path}\` | ${names} | ${value} | ${allowed} | ${about} |`;
  });
  return [
    '| setting | environment | default | allowed | what it does |',
    '| --- | --- | --- | --- | --- |',
    ...rows,
  ].join('\n');
}

function showDefault(value: unknown): string {
  if (value === null || (Array.isArray(value) && value.length === 0)) return 'none';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}
