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
  readonly Image: string;
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
  /** Clone of the repository that the images are built from. */
  readonly copy: string;
  /** Whether processes of containers are to be seen from here. */
  readonly canSignalContainers: boolean;
  readonly env: Record<string, string>;
  readonly ports: Readonly<Record<'GATEWAY_PORT' | 'DOOR_PORT' | 'GRAFANA_PORT' | 'TLS_PORT', number>>;
  /** What stood in files beside the sources when the images were built. */
  readonly secret: string;
}

/** The compose project under test, which `npm run test:compose` has prepared and built; commands run where a person's would. */
export class Project {
  private constructor(
    private readonly parts: Parts,
    private readonly files: readonly string[],
  ) {}

  /** As `docker compose` finds it in the clone. */
  static open(): Project {
    return new Project(JSON.parse(readFileSync(process.env.COMPOSE_PROJECT_FILE ?? '', 'utf8')) as Parts, []);
  }

  /** The same project by other files, and with other variables. */
  with(files: readonly string[], env: Record<string, string> = {}): Project {
    return new Project({ ...this.parts, env: { ...this.parts.env, ...env } }, files);
  }

  get copy(): string {
    return this.parts.copy;
  }

  get secret(): string {
    return this.parts.secret;
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
    return this.docker('compose', ...this.files.flatMap((file) => ['-f', file]), ...args);
  }

  async docker(...args: readonly string[]): Promise<string> {
    return (await this.execute('docker', args)).stdout;
  }

  /** What Docker says while it works, on both of its outputs. */
  async dockerSays(...args: readonly string[]): Promise<string> {
    const { stdout, stderr } = await this.execute('docker', args);
    return `${stdout}\n${stderr}`;
  }

  /** A line of the README, as a shell takes it. */
  async shell(line: string): Promise<string> {
    return (await this.execute('sh', ['-euc', line])).stdout;
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

  /** Containers of one service, or of all, whatever they do. */
  async containers(service?: string): Promise<readonly Container[]> {
    const ids = (await this.compose('ps', '-a', '-q', ...(service === undefined ? [] : [service])))
      .split('\n')
      .filter(Boolean);
    return ids.length === 0 ? [] : (JSON.parse(await this.docker('inspect', ...ids)) as Container[]);
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

  private execute(file: string, args: readonly string[]): Promise<{ stdout: string; stderr: string }> {
    const { env, copy } = this.parts;
    return execute(file, [...args], { env, cwd: copy, maxBuffer: BUFFER_BYTES });
  }
}
