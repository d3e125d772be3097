import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { until } from '@app/testing';

const execute = promisify(execFile);
const UP_MS = 180_000;
const BUFFER_BYTES = 64 * 1024 * 1024;

/** What `docker inspect` says of a container, as far as tests look at it. */
export interface Container {
  readonly Id: string;
  readonly Name: string;
  readonly RestartCount: number;
  readonly State: {
    readonly Pid: number;
    readonly ExitCode: number;
    readonly Running: boolean;
    readonly Health?: { readonly Status: string };
  };
  readonly Config: { readonly User: string; readonly Env: readonly string[] };
  readonly HostConfig: { readonly ReadonlyRootfs: boolean; readonly Memory: number };
}

interface Parts {
  /** Copy of the repository that the images are built from. */
  readonly copy: string;
  readonly compose: { readonly plain: readonly string[]; readonly tls: readonly string[] };
  /** Whether processes of containers are to be seen from here. */
  readonly canSignalContainers: boolean;
  readonly env: Record<string, string>;
  readonly ports: Readonly<Record<'GATEWAY_PORT' | 'DOOR_PORT' | 'GRAFANA_PORT' | 'TLS_PORT', number>>;
}

/** The compose project under test, which `npm run test:compose` has prepared and built. */
export class Project {
  private constructor(
    private readonly parts: Parts,
    private readonly command: readonly string[],
  ) {}

  static open(): Project {
    const parts = JSON.parse(readFileSync(process.env.COMPOSE_PROJECT_FILE ?? '', 'utf8')) as Parts;
    return new Project(parts, parts.compose.plain);
  }

  /** The same project with TLS in front. */
  withTls(): Project {
    return new Project(this.parts, this.parts.compose.tls);
  }

  get copy(): string {
    return this.parts.copy;
  }

  get gateway(): string {
    return `http://127.0.0.1:${this.parts.ports.GATEWAY_PORT}`;
  }

  get door(): string {
    return `http://127.0.0.1:${this.parts.ports.DOOR_PORT}`;
  }

  get tlsPort(): number {
    return this.parts.ports.TLS_PORT;
  }

  /** Environment of commands that are to meet the same Docker. */
  get env(): Readonly<Record<string, string>> {
    return this.parts.env;
  }

  compose(...args: readonly string[]): Promise<string> {
    const [file = '', ...first] = this.command;
    return this.run(file, [...first, ...args]);
  }

  docker(...args: readonly string[]): Promise<string> {
    return this.run('docker', args);
  }

  /** What Docker says while it works, on both of its outputs. */
  async dockerSays(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await execute('docker', [...args], { env: this.parts.env, maxBuffer: BUFFER_BYTES });
    return `${stdout}\n${stderr}`;
  }

  /** kill -9 of a container's process from outside, which Docker takes for a crash. */
  async killProcess(pid: number): Promise<void> {
    if (this.parts.canSignalContainers) {
      process.kill(pid, 'SIGKILL');
      return;
    }
    const options = ['--rm', '--privileged', '--pid', 'host', '--user', '0'];
    await this.docker('run', ...options, 'openclaw-rl/gateway:0.1.0', '-e', `process.kill(${pid}, 'SIGKILL')`);
  }

  /** Runs JavaScript inside a container of a service, as that container reaches the network. */
  node(service: string, code: string): Promise<string> {
    return this.compose('exec', '-T', service, 'node', '-e', code);
  }

  /** Containers of one service, or of all. */
  async containers(service?: string): Promise<readonly Container[]> {
    const ids = (await this.compose('ps', '-q', ...(service === undefined ? [] : [service])))
      .split('\n')
      .filter(Boolean);
    return ids.length === 0 ? [] : (JSON.parse(await this.docker('inspect', ...ids)) as Container[]);
  }

  /** Containers of a service that has been stopped. */
  async stopped(service: string): Promise<readonly Container[]> {
    const ids = (await this.compose('ps', '-a', '-q', service)).split('\n').filter(Boolean);
    return JSON.parse(await this.docker('inspect', ...ids)) as Container[];
  }

  /** Waits until every container is healthy. */
  async whenHealthy(): Promise<void> {
    const ailing = async (): Promise<string[]> =>
      (await this.containers())
        .filter(({ State }) => State.Health?.Status !== 'healthy')
        .map(({ Name, State }) => `${Name} is ${State.Health?.Status ?? `running: ${State.Running}`}`);
    let last: string[] = [];
    await until(
      async () => {
        last = await ailing();
        return last.length === 0;
      },
      { what: 'every container is healthy', timeoutMs: UP_MS, everyMs: 500 },
    ).catch(async (error: unknown) => {
      throw new Error(`${last.join(', ')}\n${await this.compose('logs', '--tail', '15')}`, { cause: error });
    });
  }

  private async run(file: string, args: readonly string[]): Promise<string> {
    const { stdout } = await execute(file, [...args], { env: this.parts.env, maxBuffer: BUFFER_BYTES });
    return stdout;
  }
}
