import { Bus } from '@app/bus';
import { STREAM_NAMES } from '@app/contracts';
import { until } from '@app/testing';
import type { CrashStack } from './stack';

const TURNS = 'RL_TURNS';
const COPIES_MS = 120_000;

/** Looks at a cluster's stream of turns from outside: who leads it, and when it last grew. */
export class WriteWatch {
  private last = { sequence: 0, leader: '' };

  private constructor(
    private readonly bus: Bus,
    private readonly copies: number,
  ) {}

  static async start({ nats, copies, storeGb }: CrashStack): Promise<WriteWatch> {
    const bus = new Bus({ app: 'write-watch', url: nats.url, storeGb, replicas: copies });
    const ready = (): Promise<boolean> => bus.ready().then(() => true);
    await until(ready, { what: 'the store has been declared', timeoutMs: COPIES_MS, everyMs: 250 });
    const watch = new WriteWatch(bus, copies);
    await watch.look();
    return watch;
  }

  /** Name of the server that leads the stream, as it was last seen. */
  get leader(): string {
    return this.last.leader;
  }

  /** Does something, and tells how many seconds later the first new message was stored. */
  async after(act: () => void | Promise<void>): Promise<number> {
    await this.look();
    await act();
    const startedAt = performance.now();
    const { sequence } = this.last;
    await until(async () => (await this.look()).sequence > sequence, {
      what: `${TURNS} grows again`,
      timeoutMs: COPIES_MS,
      everyMs: 50,
    });
    return (performance.now() - startedAt) / 1000;
  }

  /** Resolves when every stream has all its copies, and none is behind. */
  async copiesAreWhole(): Promise<void> {
    const { jsm } = this.bus.connection.current();
    await until(
      async () => {
        const infos = await Promise.all(STREAM_NAMES.map((name) => jsm.streams.info(name)));
        return infos.every(({ cluster }) => {
          const others = cluster?.replicas ?? [];
          return others.length === this.copies - 1 && others.every(({ current, offline }) => current && !offline);
        });
      },
      { what: 'all copies of all streams are whole', timeoutMs: COPIES_MS, everyMs: 250 },
    );
  }

  close(): Promise<void> {
    return this.bus.close();
  }

  /** Asks until somebody answers: a stream without a leader is silent. */
  private async look(): Promise<{ sequence: number; leader: string }> {
    return until(
      async () => {
        const session = await this.bus.connection.whenUp(1000);
        const { state, cluster } = await session.jsm.streams.info(TURNS);
        this.last = { sequence: state.last_seq, leader: cluster?.leader ?? '' };
        return this.last;
      },
      { what: `${TURNS} has a leader`, timeoutMs: COPIES_MS, everyMs: 50 },
    );
  }
}
