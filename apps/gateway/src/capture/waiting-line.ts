/** Taken places in front of the line that are worth a copy of the rest. */
const COMPACT_FROM = 1024;

/**
 * What waits, in the order of its places. Most comes with a place behind all others; what comes back in front of them is little.
 * However long the line is, to add and to take cost the same.
 */
export class WaitingLine<Entry extends { readonly place: number }> {
  /** In the order in which they came, which is that of their places; what stood in front of `head` is taken. */
  private behind: (Entry | undefined)[] = [];
  private head = 0;
  private last = -Infinity;
  /** In the order of their places. */
  private readonly back: Entry[] = [];

  get length(): number {
    return this.behind.length - this.head + this.back.length;
  }

  add(entry: Entry): void {
    if (entry.place > this.last) {
      this.last = entry.place;
      this.behind.push(entry);
      return;
    }
    const next = this.back.findIndex(({ place }) => place > entry.place);
    this.back.splice(next === -1 ? this.back.length : next, 0, entry);
  }

  /** The entry with the first place. */
  take(): Entry | undefined {
    const [first] = this.back;
    const fresh = this.behind[this.head];
    if (first !== undefined && (fresh === undefined || first.place < fresh.place)) return this.back.shift();
    if (fresh !== undefined) this.step();
    return fresh;
  }

  private step(): void {
    this.behind[this.head] = undefined;
    this.head += 1;
    if (this.head < COMPACT_FROM || this.head * 2 < this.behind.length) return;
    this.behind = this.behind.slice(this.head);
    this.head = 0;
  }
}
