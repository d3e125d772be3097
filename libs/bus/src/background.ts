import { setTimeout as sleep } from 'node:timers/promises';

/** A task that is done again and again, with a pause before each time, until it is stopped. */
export class Background {
  private readonly stopping = new AbortController();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly pauseMs: () => number,
    private readonly task: () => Promise<void>,
    private readonly onError: (error: unknown) => void,
  ) {}

  get isStopping(): boolean {
    return this.stopping.signal.aborted;
  }

  start(): void {
    this.running = this.run();
  }

  /** Resolves when the task in hand is finished. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(): Promise<void> {
    const { signal } = this.stopping;
    const passes = (): Promise<boolean> => sleep(this.pauseMs(), true, { signal }).catch(() => false);
    while (await passes()) {
      try {
        await this.task();
      } catch (error) {
        this.onError(error);
      }
    }
  }
}
