import { Problem } from './problem.mjs';
import { Supervisor } from './supervisor.mjs';

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
    if (name !== 'supervisor') return this.linesOf(name).push(line);
    // "NAME ended (why); it is started again"
    const [ended] = line.split(';');
    const lines = this.linesOf(ended.split(' ')[0]).slice(-SHOWN_LINES);
    this.#fail(new Problem([`${ended}. It had printed:`, ...lines].join('\n  ')));
  }

  linesOf(name) {
    if (!this.#lines.has(name)) this.#lines.set(name, []);
    return this.#lines.get(name);
  }
}
