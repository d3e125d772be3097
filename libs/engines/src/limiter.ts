/** Runs at most `limit` pieces of work at once; the others wait in order. */
export class Limiter {
  private inUse = 0;
  private readonly waiting = new Set<() => void>();

  constructor(private readonly limit: number) {}

  get running(): number {
    return this.inUse;
  }

  /** Runs `work` when there is a place. Rejects with the signal's reason if it is aborted while waiting. */
  async run<Result>(work: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    if (this.inUse < this.limit) this.inUse += 1;
    else await this.takeOver(signal);
    try {
      return await work();
    } finally {
      this.handOn();
    }
  }

  private takeOver(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const take = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.waiting.delete(take);
        reject(signal.reason as Error);
      };
      signal.addEventListener('abort', leave, { once: true });
      this.waiting.add(take);
    });
  }

  /** A place goes straight to who waits longest, so that nobody can overtake. */
  private handOn(): void {
    const [next] = this.waiting;
    if (next === undefined) {
      this.inUse -= 1;
      return;
    }
    this.waiting.delete(next);
    next();
  }
}
