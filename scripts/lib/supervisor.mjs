import { Child } from './child.mjs';
import { Problem } from './problem.mjs';

const NAME_WIDTH = 18;
const START_MS = 60_000;
const STOP_MS = 10_000;

/** Starts processes in order, keeps them running, and stops them in the reverse order. */
export class Supervisor {
  #groups = [];
  #isStopping = false;

  say(name, line) {
    console.log(`${name.padEnd(NAME_WIDTH)} | ${line}`);
  }

  /** Starts processes side by side; resolves when all of them are up, rejects with a Problem if one does not come up. */
  async start(specs) {
    if (this.#isStopping) return [];
    const children = specs.map(
      (spec) =>
        new Child({ ...spec, print: (line) => this.say(spec.name, line) }, (report) => this.say('supervisor', report)),
    );
    this.#groups.push(children);
    for (const child of children) child.start();
    await Promise.all(children.map((child, index) => this.#untilUp(child, specs[index].upWithinMs ?? START_MS)));
    return children;
  }

  async #untilUp(child, millis) {
    const late = new Problem(`${child.name} was not up within ${millis / 1000} s; its lines above may say why.`);
    let timer;
    const deadline = new Promise((_, reject) => {
      timer = setTimeout(() => reject(late), millis).unref();
    });
    try {
      await Promise.race([child.up, deadline]);
    } finally {
      clearTimeout(timer);
    }
  }

  async stop() {
    this.#isStopping = true;
    for (const children of this.#groups.reverse()) await Promise.all(children.map((child) => child.stop(STOP_MS)));
    this.#groups = [];
  }

  kill() {
    for (const child of this.#groups.flat()) child.kill();
  }
}
