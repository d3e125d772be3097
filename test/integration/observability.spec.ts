import { parse } from 'yaml';
import { describeMetrics, EXPORTS, Telemetry, type AppName } from '@app/telemetry';
import { readText, servicesOf } from '../support/compose-file';
import {
  alertExpressions,
  alertRules,
  dashboards,
  panelExpressions,
  recordedExpressions,
  recordingRules,
  selectorsIn,
} from '../support/observability';

const expressions = [...panelExpressions, ...recordedExpressions, ...alertExpressions];
const metrics = new Map(describeMetrics().map((row) => [row.name, row]));
const recorded = new Set(recordingRules.map(({ record }) => record));
/** What Prometheus itself puts on every series. */
const OF_THE_SCRAPE = ['job', 'instance'];

const metricOf = (name: string) => metrics.get(name) ?? metrics.get(name.replace(/_(bucket|sum|count)$/, ''));

describe('dashboards', () => {
  it('are five', () => {
    expect(dashboards.map(({ name }) => name).sort()).toEqual([
      'judging',
      'operations',
      'overview',
      'serving',
      'training',
    ]);
  });

  it.each(dashboards)('name, explain and measure every panel of $name', ({ panels }) => {
    const lacking = panels.filter(
      ({ title, description, fieldConfig }) =>
        title === '' || !/\.$/.test(description) || fieldConfig.defaults.unit === '',
    );
    expect(lacking).toEqual([]);
  });

  it('draw what is of another order of magnitude on an axis of its own', () => {
    const panel = dashboards
      .find(({ name }) => name === 'overview')
      ?.panels.find(({ title, targets }) => title === 'Mean score' && targets.length > 1);
    expect(panel?.targets.map(({ legendFormat }) => legendFormat)).toEqual(['score', 'version']);
    expect(panel?.fieldConfig.overrides).toMatchObject([
      { matcher: { options: 'version' }, properties: [{ id: 'custom.axisPlacement', value: 'right' }, {}, {}] },
    ]);
  });

  it('show labels that their expressions keep', () => {
    const wrong = dashboards.flatMap(({ panels }) =>
      panels.flatMap(({ title, targets }) =>
        targets
          .filter(({ expr, legendFormat }) => {
            const shown = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label = '']) => label);
            const kept = /\bby \(([^)]*)\)/.exec(expr)?.[1]?.split(', ');
            const name = selectorsIn(expr)[0] ?? '';
            const rule = recordingRules.find(({ record }) => record === name)?.expr;
            const all = [...(metricOf(name)?.labels ?? []), ...OF_THE_SCRAPE];
            const labels = kept ?? (rule === undefined ? all : (/\bby \(([^)]*)\)/.exec(rule)?.[1]?.split(', ') ?? []));
            return shown.some((label) => !labels.includes(label));
          })
          .map(() => title),
      ),
    );
    expect(wrong).toEqual([]);
  });
});

describe('expressions of panels and rules', () => {
  it.each(expressions)('ask for metrics, labels and records that exist: $where', ({ expr }) => {
    const selectors = selectorsIn(expr);
    expect(selectors).not.toEqual([]);
    for (const selector of selectors) {
      const [, name = '', matchers = ''] = /^([\w:]+)(?:\{(.*)\})?$/.exec(selector)!;
      if (name.startsWith('job:')) expect(recorded).toContain(name);
      if (!name.startsWith('openclaw_rl_')) continue;
      expect(metricOf(name)?.name).toBeDefined();
      const labels = [...matchers.matchAll(/(\w+)\s*[=!]/g)].map(([, label]) => label);
      expect([...OF_THE_SCRAPE, ...(metricOf(name)?.labels ?? [])]).toEqual(expect.arrayContaining(labels));
    }
  });
});

describe('what rules take the increase of', () => {
  const counted = [...recordedExpressions, ...alertExpressions].flatMap(({ where, expr }) =>
    [...expr.matchAll(/\b(?:rate|increase)\((\w+)(?:\{(\w+)=~?"([^"]*)"\})?\[/g)].map(
      ([, name = '', label, values]) => ({ where, name, matcher: label === undefined ? '' : `${label}="(${values})"` }),
    ),
  );
  let exported: string;

  beforeAll(async () => {
    const apps = Object.keys(EXPORTS) as AppName[];
    exported = (await Promise.all(apps.map((app) => new Telemetry().exportFor(app)))).join('\n');
  });

  it('is found in every rule that takes one', () => {
    const takes = [...recordingRules, ...alertRules].filter(({ expr }) => /\b(rate|increase)\(/.test(expr));
    expect(new Set(counted.map(({ where }) => where)).size).toBe(takes.length);
  });

  it.each(counted)('is there at 0 before anything happens, so that the first of a kind counts: $where', (each) => {
    const { name, matcher } = each;
    expect(exported).toMatch(new RegExp(`^${name}(\\{[^}]*${matcher}[^}]*\\})? 0$`, 'm'));
  });
});

describe('alerts', () => {
  it.each(alertRules)('say how bad it is, what it is and what to do first: $alert', ({ labels, annotations }) => {
    expect(labels?.severity).toMatch(/^(critical|warning)$/);
    expect(annotations?.summary).toMatch(/\S/);
    expect(annotations?.runbook).toMatch(/^[^\n]+\.$/);
  });
});

describe('rule tests', () => {
  interface RuleTests {
    readonly tests: readonly {
      readonly alert_rule_test?: readonly { readonly alertname: string; readonly exp_alerts?: readonly unknown[] }[];
      readonly promql_expr_test?: readonly { readonly expr: string }[];
    }[];
  }
  const { tests } = parse(readText('deploy/prometheus/rules.test.yml')) as RuleTests;

  it.each(alertRules.map(({ alert }) => alert))('see %s fire and not fire', (alert) => {
    const cases = tests.flatMap((test) => test.alert_rule_test ?? []).filter(({ alertname }) => alertname === alert);
    expect(cases.some(({ exp_alerts: fires = [] }) => fires.length > 0)).toBe(true);
    expect(cases.some(({ exp_alerts: fires = [] }) => fires.length === 0)).toBe(true);
  });

  it.each(recordingRules.map(({ record }) => record ?? ''))('look at %s', (record) => {
    const asked = tests.flatMap((test) => test.promql_expr_test ?? []).map(({ expr }) => expr);
    expect(asked.some((expr) => selectorsIn(expr).some((selector) => selector.startsWith(record)))).toBe(true);
  });
});

describe('Prometheus', () => {
  it('looks for every app at the port that its container serves metrics on', () => {
    interface Scrape {
      readonly job_name: string;
      readonly dns_sd_configs?: readonly { readonly names: readonly string[]; readonly port: number }[];
    }
    const { scrape_configs: scrapes } = parse(readText('deploy/prometheus/prometheus.yml')) as {
      scrape_configs: Scrape[];
    };
    const ports = [
      ...readText('Dockerfile').matchAll(/FROM app AS (\S+)\nENV READY_URL=http:\/\/127\.0\.0\.1:(\d+)\/readyz/g),
    ];
    const found = scrapes.flatMap(({ job_name: job, dns_sd_configs: [dns] = [] }) =>
      dns === undefined ? [] : [{ job, names: dns.names, port: String(dns.port) }],
    );
    const imageOf = (job: string): string => `openclaw-rl/${job}:0.1.0`;
    const services = Object.entries(servicesOf('deploy/docker-compose.yml'));
    const served = (job: string): string[] =>
      services.flatMap(([name, { image }]) => (image === imageOf(job) ? [name] : []));
    expect(found).toEqual(ports.map(([, app, port]) => ({ job: app, names: served(app ?? ''), port })));
  });
});
