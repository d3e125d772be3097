import { LevelMeter, type LevelReport } from './level-meter';
import type { Simulator } from './simulator';
import { Tally } from './tally';

/** Something that is waited for, and worked on. */
export interface Job {
  /** How long it is worked on, once. */
  readonly seconds: number;
}

/** How a try ends in nothing: whether this one does, and after how many seconds the job comes back. */
export interface Retry {
  readonly fails: () => boolean;
  /** @param deliveries tries so far, from 1 */
  readonly delaySeconds: (deliveries: number) => number;
}

export interface StationOptions<Work extends Job> {
  /** Jobs that are worked on at once. */
  readonly servers: number;
  readonly intervalSeconds: number;
  /** @default every try succeeds */
  readonly retry?: Retry;
  readonly done?: (job: Work) => void;
}

export interface StationReport {
  readonly arrived: number;
  readonly done: number;
  /** Jobs that wait for a server, over time; those that come back after a failed try count when they are back. */
  readonly waiting: LevelReport;
  readonly busy: LevelReport;
  /** From a job's arrival to the beginning of the try that succeeded. */
  readonly waits: Tally;
}

interface Visit<Work> {
  readonly job: Work;
  readonly arrivedAt: number;
  deliveries: number;
}

/** Takes from the front in constant time; an array's own shift takes longer the more wait. */
class Line<Item> {
  private items: Item[] = [];
  private head = 0;

  get length(): number {
    return this.items.length - this.head;
  }

  push(item: Item): void {
    this.items.push(item);
  }

  unshift(items: readonly Item[]): void {
    this.items = [...items, ...this.items.slice(this.head)];
    this.head = 0;
  }

  shift(): Item | undefined {
    const item = this.items[this.head];
    this.head += 1;
    if (this.head > 1024 && this.head * 2 > this.items.length) {
      this.items = this.items.slice(this.head);
      this.head = 0;
    }
    return item;
  }
}

/**
 * Servers behind one line, first come, first served; a job that failed stands at the front when it is back, as a redelivered message
 * does. It can be closed (what runs ends), and broken down (what runs goes back to the front of the line, and is done from its beginning).
 */
export class Station<Work extends Job> {
  private readonly line = new Line<Visit<Work>>();
  private readonly running = new Set<Visit<Work>>();
  private readonly waiting: LevelMeter;
  private readonly busy: LevelMeter;
  private readonly waits = new Tally();
  private arrived = 0;
  private done = 0;
  private closings = 0;

  constructor(
    private readonly simulator: Simulator,
    private readonly options: StationOptions<Work>,
  ) {
    this.waiting = new LevelMeter(options.intervalSeconds);
    this.busy = new LevelMeter(options.intervalSeconds);
  }

  /** Jobs that wait now. */
  get length(): number {
    return this.line.length;
  }

  arrive(job: Work): void {
    this.arrived += 1;
    this.line.push({ job, arrivedAt: this.simulator.now, deliveries: 0 });
    this.serve();
  }

  /** Begins no job until it is opened as often as it was closed. */
  close(): void {
    this.closings += 1;
  }

  open(): void {
    this.closings -= 1;
    this.serve();
  }

  breakDown(): void {
    this.close();
    this.line.unshift([...this.running]);
    this.running.clear();
    this.measure();
  }

  report(): StationReport {
    const { arrived, done, waits } = this;
    const { now } = this.simulator;
    return { arrived, done, waits, waiting: this.waiting.report(now), busy: this.busy.report(now) };
  }

  private serve(): void {
    while (this.closings === 0 && this.running.size < this.options.servers && this.line.length > 0) {
      const visit = this.line.shift();
      if (visit !== undefined) this.begin(visit);
    }
    this.measure();
  }

  private begin(visit: Visit<Work>): void {
    visit.deliveries += 1;
    const delivery = visit.deliveries;
    const startedAt = this.simulator.now;
    this.running.add(visit);
    this.simulator.after(visit.job.seconds, () => {
      // After a breakdown it waits again, or runs anew.
      if (this.running.has(visit) && visit.deliveries === delivery) this.end(visit, startedAt);
    });
  }

  private end(visit: Visit<Work>, startedAt: number): void {
    const { retry, done } = this.options;
    this.running.delete(visit);
    if (retry?.fails() === true) {
      this.simulator.after(retry.delaySeconds(visit.deliveries), () => {
        this.line.unshift([visit]);
        this.serve();
      });
    } else {
      this.done += 1;
      this.waits.add(startedAt - visit.arrivedAt);
      done?.(visit.job);
    }
    this.serve();
  }

  private measure(): void {
    const { now } = this.simulator;
    this.waiting.set(now, this.line.length);
    this.busy.set(now, this.running.size);
  }
}
