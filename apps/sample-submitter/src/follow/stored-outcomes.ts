/** What a settled turn is counted by. */
export interface Outcome {
  /** `sample`, or the reason why none. */
  readonly outcome: string;
  /** What a sample trains on. */
  readonly signal?: string;
}

const changeIn = (counts: Map<string, number>, name: string, by: 1 | -1): void => {
  const count = (counts.get(name) ?? 0) + by;
  if (count === 0) counts.delete(name);
  else counts.set(name, count);
};

const sorted = (counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> =>
  Object.fromEntries([...counts].sort());

/** Counts of the outcomes that a stream holds, by sequence: what is erased or has gone with age is counted no more. */
export class StoredOutcomes {
  /** In the order of the stream. Outcomes are few, and shared. */
  private readonly stored = new Map<number, Outcome>();
  private readonly shared = new Map<string, Outcome>();
  private readonly outcomes = new Map<string, number>();
  private readonly signals = new Map<string, number>();

  /** Turns by outcome. */
  get counts(): Readonly<Record<string, number>> {
    return sorted(this.outcomes);
  }

  /** Samples by what they train on. */
  get signalCounts(): Readonly<Record<string, number>> {
    return sorted(this.signals);
  }

  add(sequence: number, outcome: Outcome): void {
    const key = `${outcome.outcome} ${outcome.signal ?? ''}`;
    const shared = this.shared.get(key) ?? outcome;
    this.shared.set(key, shared);
    this.stored.set(sequence, shared);
    this.count(shared, 1);
  }

  /** Forgets what stands before `first`, and the `deleted`. */
  keep(first: number, deleted: Iterable<number>): void {
    for (const sequence of this.stored.keys()) {
      if (sequence >= first) break;
      this.forget(sequence);
    }
    for (const sequence of deleted) this.forget(sequence);
  }

  clear(): void {
    for (const map of [this.stored, this.outcomes, this.signals]) map.clear();
  }

  private forget(sequence: number): void {
    const outcome = this.stored.get(sequence);
    if (outcome === undefined) return;
    this.stored.delete(sequence);
    this.count(outcome, -1);
  }

  private count({ outcome, signal }: Outcome, by: 1 | -1): void {
    changeIn(this.outcomes, outcome, by);
    if (signal !== undefined) changeIn(this.signals, signal, by);
  }
}
