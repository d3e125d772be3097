import { Problem } from '../lib/problem.mjs';
import { Supervisor } from '../lib/supervisor.mjs';

const SHOWN_LINES = 15;

/** Keeps what its processes print instead of showing it. A process that dies is not waited for: `failed` rejects. */
export class QuietSupervisor extends Supervisor {
  #lines = new Map();
  #fail;
  failed = new Promise((_, reject) => {
    this.#fail = reject;
  });

  constructor() {
    super();
    this.failed.catch(() => {});
  }

  say(name, line) {
    if (name === 'supervisor') this.#fail(new Problem(`${line}\n\n${this.lastLines()}`));
    else this.linesOf(name).push(line);
  }

  linesOf(name) {
    if (!this.#lines.has(name)) this.#lines.set(name, []);
    return this.#lines.get(name);
  }

  /** The end of what each process printed. */
  lastLines() {
    const show = ([name, lines]) => lines.slice(-SHOWN_LINES).map((line) => `${name} | ${line}`);
    return [...this.#lines].flatMap(show).join('\n');
  }
}
