import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { freePort, killWithParent, until } from '@app/testing';
import { ownNode, ServiceError } from './service';

const MAIN = join(__dirname, '../../dist/libs/testing/src/engine-double.main.js');

/** An engine double as a process of its own: it comes back with the weights that it began with, as an engine does. */
export class EngineProcess {
  private child: ChildProcess | null = null;
  private said = '';

  private constructor(
    readonly port: number,
    private readonly flags: readonly string[],
  ) {}

  static async start(flags: readonly string[] = []): Promise<EngineProcess> {
    if (!existsSync(MAIN)) throw new ServiceError(`${MAIN} is missing: npm run build`);
    const engine = new EngineProcess(await freePort(), flags);
    await engine.start();
    return engine;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async start(): Promise<void> {
    const child = spawn(ownNode(), [MAIN, '--log', '--port', String(this.port), ...this.flags], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    child.stdout.on('data', (data: Buffer) => (this.said += data.toString()));
    killWithParent(child);
    this.child = child;
    await until(async () => (await this.weights()) !== null, { what: 'the engine is up', timeoutMs: 60_000 });
  }

  /** How often it was asked for a path. */
  asked(path: string): number {
    return this.said.split('\n').filter((line) => line.endsWith(` ${path}`)).length;
  }

  /** kill -9, at whatever it is doing. */
  async kill(): Promise<void> {
    const { child } = this;
    if (child === null) return;
    this.child = null;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Its name of its weights; null while it does not answer. */
  async weights(): Promise<string | null> {
    const info = (await fetch(`${this.url}/model_info`)
      .then((response) => response.json())
      .catch(() => null)) as { weight_version: string } | null;
    return info?.weight_version ?? null;
  }
}
