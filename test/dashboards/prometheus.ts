import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, until } from '@app/testing';
import { parse, stringify } from 'yaml';
import { readText, ROOT } from '../support/compose-file';

/** Where each job's replicas are: `host:port`. */
export type Targets = Readonly<Record<string, readonly string[]>>;

/** Series that an expression has at this moment. */
export interface Series {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}

/** What became of a rule when it was computed last. */
export interface RuleState {
  readonly name: string;
  readonly health: 'ok' | 'err' | 'unknown';
  readonly lastError?: string;
}

/** A real Prometheus with the configuration and the rules of the compose file, once a second. */
export interface Prometheus {
  query(expr: string): Promise<readonly Series[]>;
  rules(): Promise<readonly RuleState[]>;
  stop(): Promise<void>;
}

interface Config {
  readonly scrape_configs: readonly { readonly job_name: string }[];
}

/** The configuration of the compose file, with addresses in the place of names on its network; of jobs that have some. */
const configFor = (targets: Targets): string => {
  const config = parse(readText('deploy/prometheus/prometheus.yml')) as Config;
  return stringify({
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml', 'alerts.yml'].map((file) => join(ROOT, 'deploy/prometheus', file)),
    scrape_configs: config.scrape_configs
      .filter(({ job_name: job }) => targets[job] !== undefined)
      .map(({ job_name: job }) => ({ job_name: job, static_configs: [{ targets: targets[job] }] })),
  });
};

/** Starts the Prometheus that PROMETHEUS_BIN names. */
export const startPrometheus = async (targets: Targets): Promise<Prometheus> => {
  const folder = mkdtempSync(join(tmpdir(), 'prometheus-'));
  writeFileSync(join(folder, 'prometheus.yml'), configFor(targets));
  const url = `http://127.0.0.1:${await freePort()}`;
  const child = spawn(
    process.env.PROMETHEUS_BIN ?? 'prometheus',
    [
      `--config.file=${join(folder, 'prometheus.yml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=${new URL(url).host}`,
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const killWithParent = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithParent);
  let log = '';
  child.stderr.on('data', (data: Buffer) => (log = (log + data.toString()).slice(-5000)));
  const ended = once(child, 'close');
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null) throw new Error(`Prometheus ended: ${log}`);
    return fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await until(isReady, { what: 'Prometheus is ready', timeoutMs: 30_000 });
  return {
    query: async (expr) => {
      const response = await fetch(`${url}/api/v1/query`, {
        method: 'POST',
        body: new URLSearchParams({ query: expr }),
      });
      const answer = (await response.json()) as { status: string; error?: string; data: { result: Series[] } };
      if (answer.status !== 'success') throw new Error(`${expr}: ${answer.error ?? 'no reason given'}`);
      return answer.data.result;
    },
    rules: async () => {
      const answer = (await (await fetch(`${url}/api/v1/rules`)).json()) as {
        data: { groups: { rules: RuleState[] }[] };
      };
      return answer.data.groups.flatMap(({ rules }) => rules);
    },
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      process.removeListener('exit', killWithParent);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
