import { setTimeout as sleep } from 'node:timers/promises';

/** Pauses in milliseconds between looks; 620 in all, far more than two replicas need to handle neighbouring events. */
const PAUSES_MS = [20, 40, 80, 160, 320];

/** Looks again, a few times, for what may be on its way: a shared consumer gives no order. */
export class Patience {
  constructor(private readonly pausesMs: readonly number[] = PAUSES_MS) {}

  /** The first result that is not null, or null when patience is over. */
  async find<Result>(look: () => Promise<Result | null>): Promise<Result | null> {
    let found = await look();
    for (const pause of this.pausesMs) {
      if (found !== null) break;
      await sleep(pause);
      found = await look();
    }
    return found;
  }
}
