import { readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parse } from 'yaml';
import { readText, ROOT } from './compose-file';

/** An expression in PromQL and where it stands. */
export interface Expression {
  readonly where: string;
  readonly expr: string;
}

export interface Panel {
  readonly title: string;
  readonly description: string;
  readonly fieldConfig: { readonly defaults: { readonly unit: string }; readonly overrides: readonly unknown[] };
  readonly targets: readonly { readonly expr: string; readonly legendFormat: string }[];
}

export interface Dashboard {
  readonly name: string;
  readonly uid: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

export interface Rule {
  readonly record?: string;
  readonly alert?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

const FOLDER = 'deploy/grafana/dashboards';

export const dashboards: readonly Dashboard[] = readdirSync(join(ROOT, FOLDER)).map((file) => ({
  ...(JSON.parse(readText(`${FOLDER}/${file}`)) as Omit<Dashboard, 'name'>),
  name: basename(file, '.json'),
}));

const rulesOf = (path: string): readonly Rule[] =>
  (parse(readText(path)) as { groups: { rules: Rule[] }[] }).groups.flatMap(({ rules }) => rules);

export const recordingRules = rulesOf('deploy/prometheus/rules.yml');
export const alertRules = rulesOf('deploy/prometheus/alerts.yml');

/** Every panel's expressions, with a minute for Grafana's own variable. */
export const panelExpressions: readonly Expression[] = dashboards.flatMap(({ name, panels }) =>
  panels.flatMap(({ title, targets }) =>
    targets.map(({ expr }) => ({ where: `${name}: ${title}`, expr: expr.replaceAll('$__rate_interval', '1m') })),
  ),
);

export const recordedExpressions: readonly Expression[] = recordingRules.map(({ record, expr }) => ({
  where: record ?? '',
  expr,
}));

export const alertExpressions: readonly Expression[] = alertRules.map(({ alert, expr }) => ({
  where: alert ?? '',
  expr,
}));

/** The series that an expression selects, `name{labels}`, without ranges and offsets. */
export const selectorsIn = (expr: string): readonly string[] => [
  ...new Set(
    [...expr.matchAll(/\b(?:job:)?(?:openclaw_rl|nodejs|process)_[\w:]+(?:\{[^}]*\})?|\bup\b(?:\{[^}]*\})?/g)].map(
      ([selector]) => selector,
    ),
  ),
];
