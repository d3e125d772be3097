import { EXPORTS, type AppName, type MetricKey } from './exports';
import { createRegistry } from './metrics';

/** A metric for people: what it is called, what it counts, who exports it. */
export interface MetricRow {
  readonly name: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly labels: readonly string[];
  readonly help: string;
  readonly apps: readonly AppName[];
}

/** Every metric of ours, in the order of their definition. */
export const describeMetrics = (): readonly MetricRow[] => {
  const { metrics } = createRegistry();
  const apps = Object.keys(EXPORTS) as AppName[];
  return (Object.keys(metrics) as MetricKey[]).map((key) => {
    const { name, help, type, labelNames } = metrics[key] as unknown as MetricRow & { labelNames: readonly string[] };
    const exporters = apps.filter((app) => (EXPORTS[app] as readonly MetricKey[]).includes(key));
    return { name, help, type, labels: labelNames, apps: exporters };
  });
};

const code = (words: readonly string[]): string => words.map((word) => `\`${word}\``).join(', ');

/** The table of docs/metrics.md in Markdown. */
export const metricsTable = (): string =>
  [
    '| metric | type | labels | exported by | what it says |',
    '| --- | --- | --- | --- | --- |',
    ...describeMetrics().map(
      ({ name, type, labels, apps, help }) =>
        `| ${code([name])} | ${type} | ${code(labels)} | ${apps.join(', ')} | ${help} |`,
    ),
  ].join('\n');
