interface Entry<Event> {
  readonly at: number;
  /** Events of the same moment come in the order in which they were pushed. */
  readonly order: number;
  readonly event: Event;
}

const isBefore = (a: Entry<unknown>, b: Entry<unknown>): boolean => a.at < b.at || (a.at === b.at && a.order < b.order);

/** Events by time, the earliest first: a binary heap. */
export class EventQueue<Event> {
  private readonly heap: Entry<Event>[] = [];
  private pushed = 0;

  get size(): number {
    return this.heap.length;
  }

  push(at: number, event: Event): void {
    const entry = { at, order: this.pushed, event };
    this.pushed += 1;
    let place = this.heap.push(entry) - 1;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.heap[above];
      if (parent === undefined || isBefore(parent, entry)) break;
      this.heap[place] = parent;
      place = above;
    }
    this.heap[place] = entry;
  }

  /** Takes the earliest event out; null if there is none. */
  pop(): { readonly at: number; readonly event: Event } | null {
    const [first] = this.heap;
    const last = this.heap.pop();
    if (first === undefined || last === undefined) return null;
    if (this.heap.length > 0) this.sink(last);
    return first;
  }

  private sink(entry: Entry<Event>): void {
    const { heap } = this;
    let place = 0;
    for (;;) {
      const left = 2 * place + 1;
      const right = heap[left + 1];
      const isRight = right !== undefined && isBefore(right, heap[left] ?? right);
      const below = isRight ? left + 1 : left;
      const child = heap[below];
      if (child === undefined || isBefore(entry, child)) break;
      heap[place] = child;
      place = below;
    }
    heap[place] = entry;
  }
}
