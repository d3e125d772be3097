import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  freePort,
  startEngineDouble,
  startNatsCluster,
  startNatsServer,
  until,
  type EngineDouble,
  type NatsCluster,
  type NatsServer,
} from '@app/testing';
import type { Door } from './client';
import { policyRule } from './engine';
import { APPS, Service, type App } from './service';

export interface StackOptions {
  /** Seconds without a turn after which a session ends. */
  readonly idleS: number;
  /** Size of the store in GB. @default 1 */
  readonly storeGb?: number;
  /** Further lines of the server's configuration; its store is its own all the same. */
  readonly natsConfig?: string;
  /** Three servers with three copies of everything instead of one. @default false */
  readonly cluster?: boolean;
  readonly replicas?: Partial<Record<App, number>>;
  readonly env?: Record<string, string>;
  /** What one app has in its environment beside what all have; `nats` is the server's URL. */
  readonly envOf?: (app: App, nats: string) => Record<string, string>;
}

/** Other weights than the policy's, so that the judge's engine has something to say as a teacher. */
export const JUDGE_WEIGHTS = 'judge';

/** The hint teacher runs where the method asks for it. */
const USUAL_REPLICAS: Record<App, number> = {
  gateway: 2,
  'session-tracker': 2,
  'prm-judge': 2,
  'opd-teacher': 0,
  'sample-submitter': 2,
};

/** A span of time in which NATS was not there; `to` is Infinity while it lasts. */
export interface Outage {
  readonly from: number;
  to: number;
}

/** One server, or a cluster of them. */
type Nats = Pick<NatsServer, 'url' | 'kill' | 'restart' | 'stop'>;

const startAlone = async (storeDir: string, storeGb: number, lines = ''): Promise<NatsServer> => {
  // A second block of one name replaces the first one whole.
  const store = `jetstream { store_dir: ${JSON.stringify(storeDir)}, max_file_store: ${Math.ceil(storeGb * 1024)}MB }`;
  return startNatsServer({ port: await freePort(), storeDir, config: `${lines}\n${store}` });
};

interface Parts {
  readonly folder: string;
  readonly nats: Nats;
  readonly cluster: NatsCluster | null;
  readonly storeGb: number;
  readonly policy: EngineDouble;
  readonly judge: EngineDouble;
  readonly ports: ReadonlyMap<string, number>;
  readonly env: Record<string, string>;
  readonly replicas: Record<App, number>;
  readonly envOf: NonNullable<StackOptions['envOf']>;
}

/** The whole system: every replica a process that the driver starts itself, a real NATS server, two engine doubles. */
export class CrashStack {
  readonly services: readonly Service[];
  readonly outages: Outage[] = [];
  readonly folder: string;
  readonly nats: Nats;
  readonly policy: EngineDouble;
  judge: EngineDouble;

  private constructor(private readonly parts: Parts) {
    ({ folder: this.folder, nats: this.nats, policy: this.policy, judge: this.judge } = parts);
    this.services = APPS.flatMap((app) =>
      Array.from({ length: parts.replicas[app] }, (_, i) => this.service(app, `${app}-${i + 1}`)),
    );
  }

  static async start(options: StackOptions): Promise<CrashStack> {
    const folder = mkdtempSync(join(tmpdir(), 'crash-'));
    mkdirSync(join(folder, 'logs'));
    const storeGb = options.storeGb ?? 1;
    const cluster = options.cluster === true ? await startNatsCluster() : null;
    const nats = cluster ?? (await startAlone(join(folder, 'store'), storeGb, options.natsConfig));
    const policy = await startEngineDouble({ port: await freePort() });
    policy.script(policyRule);
    const judge = await startEngineDouble({ port: await freePort(), weightVersion: JUDGE_WEIGHTS });
    const replicas = { ...USUAL_REPLICAS, ...options.replicas };
    const ports = new Map<string, number>();
    for (const app of APPS) {
      for (let i = 1; i <= replicas[app]; i += 1) ports.set(`${app}-${i}`, await freePort());
    }
    const configFile = join(folder, 'empty.toml');
    writeFileSync(configFile, '');
    const inherited = Object.entries(process.env).filter(([name]) => /^(PATH|HOME|TMPDIR|LANG)$/.test(name));
    const env = {
      ...(Object.fromEntries(inherited) as Record<string, string>),
      OPENCLAW_RL_CONFIG: configFile,
      OPENCLAW_RL_NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: String(storeGb),
      OPENCLAW_RL_NATS_REPLICAS: String(cluster?.servers.size ?? 1),
      OPENCLAW_RL_SERVER_BASE_URL: policy.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: judge.url,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      OPENCLAW_RL_JUDGE_BREAKER_OPEN_S: '1',
      OPENCLAW_RL_SESSION_IDLE_MINUTES: String(options.idleS / 60),
      OPENCLAW_RL_SESSION_ANSWER_MINUTES: String(options.idleS / 60),
      OPENCLAW_RL_LOGS_LEVEL: 'warn',
      ...options.env,
    };
    const stack = new CrashStack({
      folder,
      nats,
      cluster,
      storeGb,
      policy,
      judge,
      ports,
      env,
      replicas,
      envOf: options.envOf ?? (() => ({})),
    });
    for (const service of stack.services) service.start();
    await Promise.all(stack.services.map((service) => service.whenUp()));
    return stack;
  }

  /** The servers one by one. @throws Error if there is only one */
  get cluster(): NatsCluster {
    if (this.parts.cluster === null) throw new Error('this run has one NATS server: give its stack `cluster: true`');
    return this.parts.cluster;
  }

  get storeGb(): number {
    return this.parts.storeGb;
  }

  /** Copies of each stream. */
  get copies(): number {
    return this.parts.cluster?.servers.size ?? 1;
  }

  /** Apps that run here. */
  get apps(): readonly App[] {
    return APPS.filter((app) => this.parts.replicas[app] > 0);
  }

  of(app: App): readonly Service[] {
    return this.services.filter(({ options }) => options.app === app);
  }

  /** Both gateways, as clients reach them. */
  get gateways(): readonly Door[] {
    return this.of('gateway').map((service) => ({ url: this.urlOf(service), life: () => service.life }));
  }

  get doors(): readonly string[] {
    return this.of('sample-submitter').map((service) => this.urlOf(service));
  }

  urlOf({ name }: Service): string {
    return `http://127.0.0.1:${this.parts.ports.get(name) ?? 0}`;
  }

  async killNats(): Promise<void> {
    this.outages.push({ from: Date.now(), to: Infinity });
    await this.nats.kill();
  }

  async startNats(): Promise<void> {
    // On a busy machine the server may need longer than one try gives it.
    await until(() => this.nats.restart().then(() => true), { what: 'nats-server is up again', timeoutMs: 120_000 });
    const outage = this.outages.at(-1);
    if (outage !== undefined) outage.to = Date.now();
  }

  /** The judge's server goes away: connections are refused. */
  async stopJudge(): Promise<void> {
    await this.judge.close();
  }

  async startJudge(): Promise<void> {
    this.judge = await startEngineDouble({ port: this.judge.port, weightVersion: JUDGE_WEIGHTS });
  }

  /** A value of a service's /metrics, summed over the labels that are not named; 0 while it does not answer. */
  async metric(service: Service, name: string): Promise<number> {
    const text = await fetch(`${this.urlOf(service)}/metrics`)
      .then((response) => response.text())
      .catch(() => '');
    const lines = text.split('\n').filter((line) => line.startsWith(name) && /^[{ ]/.test(line.slice(name.length)));
    return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  /** `keepLogs`: the folder with the services' output and the store stays, for whoever looks for a fault. */
  async stop(keepLogs = false): Promise<void> {
    for (const service of this.services) service.thaw();
    await Promise.all(this.services.map((service) => service.kill()));
    await this.nats.stop();
    await Promise.all([this.policy.close(), this.judge.close()]);
    if (!keepLogs) rmSync(this.folder, { recursive: true, force: true });
  }

  private service(app: App, name: string): Service {
    const port = String(this.parts.ports.get(name) ?? 0);
    const ports: Record<App, Record<string, string>> = {
      gateway: { PORT: port },
      'sample-submitter': { OPENCLAW_RL_DOOR_PORT: port },
      'session-tracker': { OPENCLAW_RL_METRICS_PORT: port },
      'prm-judge': { OPENCLAW_RL_METRICS_PORT: port },
      'opd-teacher': { OPENCLAW_RL_METRICS_PORT: port },
    };
    const env = { ...this.parts.env, ...this.parts.envOf(app, this.nats.url), ...ports[app] };
    return new Service({ app, name, env, logs: join(this.folder, 'logs') });
  }
}
