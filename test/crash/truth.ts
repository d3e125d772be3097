import { Bus } from '@app/bus';
import {
  CONSUMERS,
  DeadLetter,
  STREAM_NAMES,
  TurnArrived,
  TurnCompleted,
  TurnSettled,
  type StreamName,
  type TurnSettledInfo,
} from '@app/contracts';
import type { CrashStack } from './stack';
import { traceTurn } from './trace';

const NO_BODY = new Uint8Array();
const idOf = (subject: string): string => subject.slice(subject.lastIndexOf('.') + 1);

/** What the system has stored, read from the bus alone. */
export interface Truth {
  readonly arrived: ReadonlySet<string>;
  readonly completed: ReadonlySet<string>;
  readonly settled: ReadonlyMap<string, TurnSettledInfo>;
  readonly deadLetters: readonly string[];
  /** Messages that were stored and are no longer there, by stream: a guard that failed would show here. */
  readonly removed: Readonly<Record<StreamName, number>>;
}

/** Reads streams and consumers past all services. */
export class TruthReader {
  private constructor(private readonly bus: Bus) {}

  static async connect({ nats, storeGb, copies }: CrashStack): Promise<TruthReader> {
    const bus = new Bus({ app: 'crash-driver', url: nats.url, storeGb, replicas: copies });
    await bus.ready();
    return new TruthReader(bus);
  }

  close(): Promise<void> {
    return this.bus.close();
  }

  async read(): Promise<Truth> {
    const arrived = new Set<string>();
    const completed = new Set<string>();
    for await (const { subject } of this.bus.scan('RL_TURNS')) {
      if (TurnArrived.matches(subject)) arrived.add(idOf(subject));
      if (TurnCompleted.matches(subject)) completed.add(idOf(subject));
    }
    const settled = new Map<string, TurnSettledInfo>();
    for await (const message of this.bus.scan('RL_SAMPLES')) {
      settled.set(idOf(message.subject), TurnSettled.decodeInfo({ ...message, data: NO_BODY }));
    }
    const deadLetters: string[] = [];
    for await (const message of this.bus.scan('RL_DEAD')) {
      const { app, subject, error } = DeadLetter.decodeInfo({ ...message, data: NO_BODY });
      deadLetters.push(`${app} gave up ${subject.split('.').slice(0, 3).join('.')} (${error})`);
    }
    return { arrived, completed, settled, deadLetters, removed: await this.removed() };
  }

  trace(turnId: string): Promise<string[]> {
    return traceTurn(this.bus, turnId);
  }

  /** Durable consumers that have not handled and acknowledged everything there is, for a person. */
  async unfinished(): Promise<readonly string[]> {
    const { jsm } = this.bus.connection.current();
    const lines: string[] = [];
    for (const { stream, durable } of Object.values(CONSUMERS)) {
      const info = await jsm.consumers.info(stream, durable).catch(() => null);
      if (info === null || info.num_pending + info.num_ack_pending === 0) continue;
      const { num_pending: pending, num_ack_pending: unacknowledged, ack_floor: floor, cluster } = info;
      const leader = cluster === undefined ? '' : `, led by ${cluster.leader ?? 'nobody'}`;
      lines.push(
        `${durable}: ${pending} waiting and ${unacknowledged} not acknowledged after ${floor.stream_seq}${leader}`,
      );
    }
    return lines;
  }

  private async removed(): Promise<Record<StreamName, number>> {
    const { jsm } = this.bus.connection.current();
    const counts = await Promise.all(
      STREAM_NAMES.map(async (name) => {
        const { state } = await jsm.streams.info(name);
        return [name, state.last_seq - state.messages] as const;
      }),
    );
    return Object.fromEntries(counts) as Record<StreamName, number>;
  }
}
