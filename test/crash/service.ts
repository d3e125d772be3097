import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, writeFileSync, type WriteStream } from 'node:fs';
import { join } from 'node:path';
import { killWithParent, until } from '@app/testing';
import type { Life } from './ledger';

const ROOT = join(__dirname, '../..');
const UP_MS = 120_000;

export const APPS = ['gateway', 'session-tracker', 'prm-judge', 'opd-teacher', 'sample-submitter'] as const;
export type App = (typeof APPS)[number];

/** Thrown when a service ends by itself, or there is nothing built to start. */
export class ServiceError extends Error {
  override readonly name = 'ServiceError';
}

export interface ServiceOptions {
  readonly app: App | 'trainer';
  readonly name: string;
  readonly env: Record<string, string>;
  /** A file that is loaded before the service. @default none */
  readonly preload?: string;
  /** Folder for its output. */
  readonly logs: string;
}

/** The Node that the services run on. */
export const ownNode = (): string => {
  const own = join(ROOT, 'node_modules/node/bin/node');
  return existsSync(own) ? own : process.execPath;
};

/** One replica of a service as a process of its own, straight from the build: what is killed is the service itself. */
export class Service {
  readonly lives: Life[] = [];
  private child: ChildProcess | null = null;
  private isUp = false;
  private isEnding = false;
  private said = '';
  private readonly log: WriteStream;

  constructor(readonly options: ServiceOptions) {
    this.log = createWriteStream(join(options.logs, `${options.name}.log`));
  }

  private get preloads(): readonly string[] {
    const { preload } = this.options;
    return [join(__dirname, 'clock.cjs'), ...(preload === undefined ? [] : [preload])];
  }

  /** Everything that it has said in all its lives. */
  get output(): string {
    return this.said;
  }

  private get clockFile(): string {
    return join(this.options.logs, `${this.name}.clock`);
  }

  /** Sets its clock off by so many milliseconds. */
  setClock(offMs: number): void {
    writeFileSync(this.clockFile, String(offMs));
  }

  get name(): string {
    return this.options.name;
  }

  get life(): Life {
    return this.lives.at(-1)!;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  get kills(): number {
    return this.lives.filter(({ killedAt }) => killedAt !== undefined).length;
  }

  /** Starts it without waiting until it is up. */
  start(): void {
    const main = join(ROOT, 'dist/apps', this.options.app, 'src/main.js');
    if (!existsSync(main)) throw new ServiceError(`${main} is missing: npm run build`);
    const child = spawn(ownNode(), [...this.preloads.flatMap((file) => ['--require', file]), main], {
      env: { ...this.options.env, CRASH_CLOCK_FILE: this.clockFile },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    killWithParent(child);
    this.child = child;
    this.isUp = false;
    this.isEnding = false;
    const life: Life = { service: this.name, startedAt: Date.now() };
    this.lives.push(life);
    for (const stream of [child.stdout, child.stderr]) stream.pipe(this.log, { end: false });
    child.stdout.on('data', (data: Buffer) => {
      this.said += data.toString();
      if (data.includes('ready on')) this.isUp = true;
    });
    child.once('exit', (code, signal) => {
      this.child = null;
      this.isUp = false;
      if (!this.isEnding) this.log.write(`ENDED BY ITSELF with ${String(code)} ${String(signal)}\n`);
    });
  }

  async whenUp(): Promise<void> {
    const what = `${this.name} is up (its output is in ${this.options.logs})`;
    await until(() => this.isUp, { what, timeoutMs: UP_MS, everyMs: 20 });
  }

  /** kill -9, at whatever it is doing. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    this.isEnding = true;
    const gone = once(child, 'exit');
    this.life.killedAt = Date.now();
    child.kill('SIGKILL');
    await gone;
  }

  /** SIGTERM; resolves with its exit code and how long it took to end, in milliseconds. */
  async stop(): Promise<{ code: number | null; millis: number }> {
    const { child } = this;
    if (child === null) return { code: null, millis: 0 };
    this.isEnding = true;
    const startedAt = performance.now();
    const gone = once(child, 'exit');
    child.kill('SIGTERM');
    const [code] = (await gone) as [number | null];
    return { code, millis: Math.round(performance.now() - startedAt) };
  }

  /** Stops its clock: alive, and does nothing. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.child?.kill('SIGCONT');
  }

  get endedByItself(): boolean {
    return this.child === null && !this.isEnding;
  }
}
