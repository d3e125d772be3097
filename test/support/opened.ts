interface Closable {
  close?: () => unknown;
  stop?: () => unknown;
}

/** What a test has opened so far. What stays open keeps Jest from ending, so nothing is left to what goes well. */
export class Opened {
  private readonly things: Closable[] = [];

  /** Takes something down, and gives it back. */
  add<Thing extends Closable>(thing: Thing): Thing {
    this.things.push(thing);
    return thing;
  }

  /** Closes everything, the last first, each whatever becomes of the others. @throws AggregateError */
  async close(): Promise<void> {
    const failures: unknown[] = [];
    for (const thing of this.things.splice(0).reverse()) {
      try {
        await (thing.close ?? thing.stop)?.call(thing);
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0) throw new AggregateError(failures, 'what a test had opened could not be closed');
  }
}
