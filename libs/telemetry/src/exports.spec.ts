import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Counter, Histogram } from 'prom-client';
import { describeMetrics, metricsTable } from './describe-metrics';
import { EXPORTS, type AppName, type MetricKey } from './exports';
import { createRegistry } from './metrics';
import { Telemetry } from './telemetry';

const ROOT = join(__dirname, '../../..');
const APPS = Object.keys(EXPORTS) as AppName[];
/** Set for every app by the libraries below all of them. */
const BELOW_ALL = ['bus', 'telemetry'];
const BY_THOSE: readonly MetricKey[] = [
  'busUp',
  'spansDropped',
  'handlerErrors',
  'consumerPending',
  'consumerUnsettled',
];

/** Names that are used at run time, and where they come from. */
const importsIn = (text: string): { readonly names: readonly string[]; readonly from: string }[] =>
  [...text.matchAll(/\b(?:im|ex)port \{([^}]*)\} from '([^']+)'/g)].map(([, list = '', from = '']) => ({
    names: list.split(',').flatMap((name) => /^\s*(?!type )(\w+)/.exec(name)?.[1] ?? []),
    from,
  }));

/** An app's code, with the files of libraries that what it imports comes from. */
const codeOf = (app: string): string => {
  const texts = new Map<string, string>();
  const addExported = (lib: string, wanted: readonly string[]): void => {
    const src = join(ROOT, 'libs', lib, 'src');
    for (const { names, from } of importsIn(readFileSync(join(src, 'index.ts'), 'utf8'))) {
      if (names.some((name) => wanted.includes(name))) add(join(src, `${from}.ts`));
    }
  };
  const add = (file: string): void => {
    if (texts.has(file)) return;
    const text = readFileSync(file, 'utf8');
    texts.set(file, text);
    for (const { names, from } of importsIn(text)) {
      const [, lib] = /^@app\/([\w-]+)$/.exec(from) ?? [];
      if (names.length === 0) continue;
      if (from.startsWith('.')) add(join(dirname(file), `${from}.ts`));
      else if (lib !== undefined && !BELOW_ALL.includes(lib)) addExported(lib, names);
    }
  };
  const src = join(ROOT, 'apps', app, 'src');
  for (const path of readdirSync(src, { recursive: true, encoding: 'utf8' })) {
    if (path.endsWith('.ts') && !path.endsWith('.spec.ts')) add(join(src, path));
  }
  return [...texts.values()].join('\n');
};

const { metrics } = createRegistry();
const KEYS = Object.keys(metrics) as MetricKey[];
const setters = (key: MetricKey): string => {
  if (metrics[key] instanceof Counter) return 'inc';
  return metrics[key] instanceof Histogram ? 'observe|startTimer' : 'set|inc|dec|reset';
};

const keysIn = (text: string): MetricKey[] =>
  KEYS.filter((key) => new RegExp(`\\bmetrics\\.${key}\\b|\\b${key}\\.(${setters(key)})\\(`).test(text));

const withoutSpaces = (text: string): string[] => text.split('\n').map((line) => line.replace(/\s+|-{3,}/g, ''));

describe('what the apps export', () => {
  it('is told for every app, and leaves no metric out', () => {
    // Doctor and bus-admin are programs that end: nobody could ask them. The console is a page.
    const others = ['doctor', 'bus-admin', 'console'];
    const services = readdirSync(join(ROOT, 'apps')).filter((app) => !others.includes(app));
    expect(APPS.sort()).toEqual(services.sort());
    expect(describeMetrics().filter(({ apps }) => apps.length === 0)).toEqual([]);
  });

  it.each(APPS)('is for %s what its code sets, no more and no less', (app) => {
    const own = EXPORTS[app].filter((key) => !BY_THOSE.includes(key));
    expect(own.sort()).toEqual(keysIn(codeOf(app)).sort());
  });

  it('is listed in docs/metrics.md as npm run metrics prints it', () => {
    const documented = new Set(withoutSpaces(readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8')));
    expect(withoutSpaces(metricsTable()).filter((line) => !documented.has(line))).toEqual([]);
    const rows = [...documented].filter((line) => line.startsWith('|`openclaw_rl_'));
    expect(rows).toHaveLength(KEYS.length);
  });

  it('has the process with it, and nothing of other apps', async () => {
    const text = await new Telemetry().exportFor('prm-judge');
    expect(text).toContain('openclaw_rl_judge_breaker_open 0');
    expect(text).toContain('nodejs_eventloop_lag_seconds');
    expect(text).not.toContain('openclaw_rl_chat_in_flight');
  });

  it('is read anew each time, whatever one of the readings runs into', async () => {
    const telemetry = new Telemetry();
    let size = 0;
    telemetry.readBeforeExport(() => Promise.reject(new TypeError('no server')));
    telemetry.readBeforeExport(() => {
      size += 7;
      telemetry.metrics.storeBytes.set({ stream: 'RL_TURNS' }, size);
    });
    await expect(telemetry.exportFor('sample-submitter')).resolves.toContain('store_bytes{stream="RL_TURNS"} 7');
    await expect(telemetry.exportFor('sample-submitter')).resolves.toContain('store_bytes{stream="RL_TURNS"} 14');
  });
});
