import { setTimeout as sleep } from 'node:timers/promises';

/** Said once: everything that runs comes to its end. */
export class Stop {
  private readonly controller = new AbortController();

  get isSet(): boolean {
    return this.controller.signal.aborted;
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  set(): void {
    this.controller.abort();
  }
}

/** Lets time pass, as a person who thinks or a process that stays down does; over at once when `stop` is set. */
export const pause = async (millis: number, stop: Stop): Promise<void> => {
  await sleep(millis, undefined, { signal: stop.signal }).catch(() => undefined);
};
