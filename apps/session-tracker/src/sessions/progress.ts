import { Inject, Injectable } from '@nestjs/common';
import { Bus, BusUnavailableError } from '@app/bus';
import { BUCKETS, CONSUMERS } from '@app/contracts';

const { stream } = CONSUMERS.trackerTurns;
const CLOCK_KEY = 'clock';

/**
 * How far all replicas together have got in the stream of turns. A shared consumer gives no order, and a tracker that was
 * down finds a backlog: a session may only end when everything that was published before has been handled.
 */
@Injectable()
export class Progress {
  constructor(@Inject(Bus) private readonly bus: Bus) {}

  /** For how many milliseconds the bus has been reachable without a break. */
  upForMs(): number {
    return this.bus.connection.upForMs;
  }

  /** Sequence up to which every event has been handled, by whomever; Infinity if none waits. @throws BusUnavailableError */
  async handledThrough(): Promise<number> {
    return (await this.floor()) ?? Infinity;
  }

  /** Server's clock, milliseconds since 1970: every event published up to then has been handled. @throws BusUnavailableError */
  async handledUntil(): Promise<number> {
    // The clock is read first: what is published after that is later than it.
    const now = await this.serverNow();
    const floor = await this.floor();
    const first = floor === null ? null : await this.publishedAfter(floor);
    return first === null ? now : Math.min(now, first);
  }

  private floor(): Promise<number | null> {
    return this.bus.settledThrough(CONSUMERS.trackerTurns);
  }

  private async publishedAfter(sequence: number): Promise<number | null> {
    try {
      const { jsm } = this.bus.connection.current();
      const message = await jsm.direct.getMessage(stream, { seq: sequence + 1, next_by_subj: '>' });
      return message?.time.getTime() ?? null;
    } catch (cause) {
      throw new BusUnavailableError(`stream ${stream} could not be read after sequence ${sequence}`, { cause });
    }
  }

  private async serverNow(): Promise<number> {
    try {
      const bucket = await this.bus.bucket(BUCKETS.sessions);
      await bucket.put(CLOCK_KEY, '');
      const entry = await bucket.get(CLOCK_KEY);
      if (entry !== null) return entry.created.getTime();
    } catch (cause) {
      throw new BusUnavailableError("the server's clock could not be read", { cause });
    }
    throw new BusUnavailableError("the server's clock could not be read: its key is gone");
  }
}
