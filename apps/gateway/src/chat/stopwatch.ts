/** Counts the time of our own work; stopped while others are waited for. */
export class Stopwatch {
  private counted = 0;
  private startedAt: number | null = performance.now();

  stop(): void {
    this.counted = this.seconds;
    this.startedAt = null;
  }

  goOn(): void {
    this.startedAt ??= performance.now();
  }

  get seconds(): number {
    return this.counted + (this.startedAt === null ? 0 : (performance.now() - this.startedAt) / 1000);
  }
}
