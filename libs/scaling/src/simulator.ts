import { EventQueue } from './event-queue';

/** Virtual time in seconds, and what happens in it. */
export class Simulator {
  private readonly events = new EventQueue<() => void>();
  private time = 0;

  get now(): number {
    return this.time;
  }

  /** Has something happen at a moment from now on. @throws RangeError for the past, or no time at all */
  at(time: number, act: () => void): void {
    if (!(time >= this.time)) throw new RangeError(`an event at ${time} s, when it is ${this.time} s already`);
    this.events.push(time, act);
  }

  after(seconds: number, act: () => void): void {
    this.at(this.time + seconds, act);
  }

  /** Goes on until nothing more happens. */
  run(): void {
    for (let next = this.events.pop(); next !== null; next = this.events.pop()) {
      this.time = next.at;
      next.event();
    }
  }
}
