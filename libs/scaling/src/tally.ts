/** Each class of values is so much wider than the one before. */
const GROWTH = 1.01;
/** Below this all values are one class, whose place is 0. */
const SMALLEST = 1e-4;

/** Counts durations in seconds: sum and most exactly, quantiles within 1 %. Keeps as much for a million as for ten. */
export class Tally {
  private readonly classes: number[] = [];
  private counted = 0;
  private total = 0;
  private longest = 0;

  add(seconds: number): void {
    this.counted += 1;
    this.total += seconds;
    this.longest = Math.max(this.longest, seconds);
    const place = seconds < SMALLEST ? 0 : 1 + Math.floor(Math.log(seconds / SMALLEST) / Math.log(GROWTH));
    while (this.classes.length <= place) this.classes.push(0);
    this.classes[place] = (this.classes[place] ?? 0) + 1;
  }

  get count(): number {
    return this.counted;
  }

  get sum(): number {
    return this.total;
  }

  get most(): number {
    return this.longest;
  }

  /** 0 where nothing was counted. */
  get mean(): number {
    return this.counted === 0 ? 0 : this.total / this.counted;
  }

  /** The value that a share of all does not exceed; 0 where nothing was counted. @param share in [0, 1] */
  quantile(share: number): number {
    let left = share * this.counted;
    for (const [place, count] of this.classes.entries()) {
      left -= count;
      if (left > 0 || count === 0) continue;
      return place === 0 ? 0 : Math.min(this.longest, SMALLEST * GROWTH ** (place - 0.5));
    }
    return this.longest;
  }
}
