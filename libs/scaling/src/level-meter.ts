/** A level during one interval. */
export interface Interval {
  readonly mean: number;
  readonly most: number;
}

/** A level over time: of a queue, say. */
export interface LevelReport extends Interval {
  /** The level integrated over all the time, in seconds. */
  readonly area: number;
  readonly intervals: readonly Interval[];
}

/** Follows a level that changes in steps, from time 0 on: its mean over time and the most, in all and by intervals. */
export class LevelMeter {
  private readonly areas: number[] = [];
  private readonly peaks: number[] = [];
  private level = 0;
  private since = 0;

  /** @param intervalSeconds length of an interval */
  constructor(private readonly intervalSeconds: number) {}

  /** The level from now on. */
  set(now: number, level: number): void {
    this.advance(now);
    this.level = level;
    this.note(Math.floor(now / this.intervalSeconds), 0);
  }

  report(now: number): LevelReport {
    this.advance(now);
    const area = this.areas.reduce((sum, each) => sum + each, 0);
    const intervals = this.areas.map((each, i) => {
      const length = Math.min(this.intervalSeconds, now - i * this.intervalSeconds);
      return { mean: length > 0 ? each / length : 0, most: this.peaks[i] ?? 0 };
    });
    return { area, mean: now > 0 ? area / now : 0, most: this.peaks.reduce((a, b) => Math.max(a, b), 0), intervals };
  }

  private advance(now: number): void {
    while (this.since < now) {
      const interval = Math.floor(this.since / this.intervalSeconds);
      // The next border, or, where rounding would leave the time on this one, the moment itself.
      const border = (interval + 1) * this.intervalSeconds;
      const until = border > this.since ? Math.min(now, border) : now;
      this.note(interval, this.level * (until - this.since));
      this.since = until;
    }
  }

  private note(interval: number, area: number): void {
    while (this.areas.length <= interval) {
      this.areas.push(0);
      this.peaks.push(0);
    }
    this.areas[interval] = (this.areas[interval] ?? 0) + area;
    this.peaks[interval] = Math.max(this.peaks[interval] ?? 0, this.level);
  }
}
