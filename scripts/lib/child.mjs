import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Problem } from './problem.mjs';

const KEPT_LINES = 20;

/**
 * One process that is started again when it dies. It leads a process group of its own, so that Ctrl-C reaches the
 * supervisor alone and everything stops in order.
 *
 * `spec`: `name`; `command`, `args`, `env`, `stdio` as for spawn; `endsWithInput` if it ends when standard input closes
 * and not by SIGTERM; `ready`, a pattern for the line that says it is up, whose first group is kept as `details`; `upWithinMs`
 * for more time until then than most need; `print`, which shows a line; `quiet` to show lines only of a process that died.
 */
export class Child {
  details = '';
  #spec;
  #report;
  #process = null;
  #lines = [];
  #isStopping = false;
  #deaths = 0;
  #restart = null;
  #ready;
  #failed;

  constructor(spec, report) {
    this.#spec = spec;
    this.#report = report;
    this.up = new Promise((resolve, reject) => {
      this.#ready = resolve;
      this.#failed = reject;
    });
    this.up.catch(() => {});
  }

  get name() {
    return this.#spec.name;
  }

  start() {
    const { command, args, env, stdio } = this.#spec;
    const startedAt = Date.now();
    this.#lines = [];
    this.#process = spawn(command, args, { env, stdio, detached: true });
    this.#process.stdin?.on('error', () => {});
    for (const stream of [this.#process.stdout, this.#process.stderr]) readLines(stream, (line) => this.#onLine(line));
    this.#process.once('error', (error) => this.#onEnd(error.message, startedAt));
    this.#process.once('close', (code, signal) => {
      this.#onEnd(signal === null ? `exit code ${code}` : `signal ${signal}`, startedAt);
    });
  }

  /** Asks the process to end, kills its group after a time. Resolves when it is gone. */
  async stop(graceMs) {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    const running = this.#process;
    if (running === null) return;
    const gone = once(running, 'close');
    if (this.#spec.endsWithInput) running.stdin.end();
    else running.kill('SIGTERM');
    const timer = setTimeout(() => {
      this.#report(`${this.name} did not stop within ${graceMs / 1000} s and is killed`);
      this.kill();
    }, graceMs);
    await gone;
    clearTimeout(timer);
  }

  /** Kills the process and whatever it started, at once. */
  kill() {
    this.#isStopping = true;
    clearTimeout(this.#restart);
    if (this.#process?.pid === undefined) return;
    try {
      process.kill(-this.#process.pid, 'SIGKILL');
    } catch {
      // It is gone already.
    }
  }

  #onLine(line) {
    this.#lines = [...this.#lines.slice(1 - KEPT_LINES), line];
    const match = this.#spec.ready.exec(line);
    if (match !== null) {
      this.details = match[1] ?? '';
      if (this.#spec.quiet && this.#deaths > 0) this.#report(`${this.name} is up again`);
      this.#lines = [];
      this.#ready();
    }
    if (!this.#spec.quiet) this.#spec.print(line);
  }

  #onEnd(reason, startedAt) {
    if (this.#process === null) return;
    this.#process.stdin?.destroy();
    this.#process = null;
    if (this.#isStopping) return;
    if (this.#spec.quiet) for (const line of this.#lines) this.#spec.print(line);
    this.#deaths = Date.now() - startedAt > 30_000 ? 1 : this.#deaths + 1;
    if (this.#deaths >= 3)
      this.#failed(
        new Problem(`${this.name} ended three times (${reason}) before it was up; its lines above say why.`),
      );
    const delayMs = Math.min(500 * 2 ** (this.#deaths - 1), 10_000);
    this.#report(`${this.name} ended (${reason}); it is started again in ${delayMs / 1000} s`);
    this.#restart = setTimeout(() => this.start(), delayMs);
  }
}

function readLines(stream, onLine) {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text) => {
    const lines = (rest + text).split(/\r?\n/);
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
  });
}
