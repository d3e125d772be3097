import type { Bus } from '@app/bus';
import { CONSUMERS, type TurnSettledInfo } from '@app/contracts';
import { startNatsServer, until, type NatsServer } from '@app/testing';
import { Opened } from '../support/opened';
import { connectBus, settledOf, startSubmitter, type Submitter } from './submitter-harness';

/** Replicas of sample-submitter on a nats-server of their own. */
export class SubmitterWorld {
  private readonly replicas: Submitter[] = [];

  private constructor(
    private readonly opened: Opened,
    readonly nats: NatsServer,
    readonly bus: Bus,
  ) {}

  static async open(): Promise<SubmitterWorld> {
    const opened = new Opened();
    const nats = opened.add(await startNatsServer());
    return new SubmitterWorld(opened, nats, opened.add(await connectBus(nats.url)));
  }

  async start(env: Readonly<Record<string, string>> = {}): Promise<Submitter> {
    const replica = await startSubmitter(this.nats.url, env);
    this.replicas.push(replica);
    return replica;
  }

  /** Stops every replica. */
  async stop(): Promise<void> {
    await Promise.all(this.replicas.splice(0).map((replica) => replica.close()));
  }

  /** The turn's outcome, once it has one. */
  settled(turnId: string, timeoutMs = 15_000): Promise<TurnSettledInfo> {
    return until(() => settledOf(this.bus, turnId), { what: `turn.settled of ${turnId}`, timeoutMs });
  }

  /** Resolves when everything published so far has been worked on. */
  async workedOff(timeoutMs = 15_000): Promise<void> {
    const { stream, durable } = CONSUMERS.submitter;
    const isWorkedOff = async (): Promise<boolean> => {
      const state = await this.bus.connection.current().jsm.consumers.info(stream, durable);
      return state.num_pending + state.num_ack_pending === 0;
    };
    await until(isWorkedOff, { what: `everything of ${stream} is worked off`, timeoutMs });
  }

  /** Messages that were handed out more than once and are not worked off. */
  async redelivered(): Promise<number> {
    const { stream, durable } = CONSUMERS.submitter;
    return (await this.bus.connection.current().jsm.consumers.info(stream, durable)).num_redelivered;
  }

  async close(): Promise<void> {
    try {
      await this.stop();
    } finally {
      await this.opened.close();
    }
  }
}
