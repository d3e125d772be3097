import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Bus } from '@app/bus';
import { CONSUMERS, STREAM_NAMES } from '@app/contracts';
import {
  startEngineDouble,
  startNatsServer,
  until,
  type EngineDouble,
  type NatsServer,
  type NatsServerOptions,
} from '@app/testing';
import { PrmJudgeModule } from '../../apps/prm-judge/src/prm-judge.module';
import { SessionTrackerModule } from '../../apps/session-tracker/src/session-tracker.module';
import { consult, type Sight } from '../support/doctor';
import type { Opened } from '../support/opened';
import { settingsFrom } from '../support/settings-from';
import { startGateway, type TestGateway } from '../support/start-gateway';
import { startWorker } from '../support/worker';
import { connectBus, startSubmitter, type Submitter } from './submitter-harness';

interface Parts {
  readonly nats: NatsServer;
  readonly natsOptions: NatsServerOptions;
  readonly engine: EngineDouble;
  readonly bus: Bus;
  readonly gateway: TestGateway;
  readonly submitter: Submitter;
  readonly env: Record<string, string>;
}

/** A stack inside the test's process, and the doctor who looks at it. */
export class Stack {
  private constructor(private readonly parts: Parts) {}

  get nats(): NatsServer {
    return this.parts.nats;
  }

  get engine(): EngineDouble {
    return this.parts.engine;
  }

  get bus(): Bus {
    return this.parts.bus;
  }

  get submitter(): Submitter {
    return this.parts.submitter;
  }

  get doorUrl(): string {
    return this.parts.submitter.url;
  }

  static async start(opened: Opened, more: Record<string, string> = {}): Promise<Stack> {
    const natsOptions: NatsServerOptions = {};
    const nats = opened.add(await startNatsServer(natsOptions));
    const engine = opened.add(await startEngineDouble());
    const bus = opened.add(await connectBus(nats.url));
    const env = {
      NATS_URL: nats.url,
      OPENCLAW_RL_NATS_STORE_GB: '1',
      OPENCLAW_RL_SERVER_BASE_URL: engine.url,
      OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
      ...more,
    };
    const gateway = opened.add(await startGateway(env));
    const submitter = opened.add(await startSubmitter(nats.url, env));
    return new Stack({ nats, natsOptions, engine, bus, gateway, submitter, env });
  }

  /** The tracker and the judge. */
  async startWorkers(opened: Opened): Promise<NestFastifyApplication[]> {
    const settings = settingsFrom(this.parts.env);
    const modules = [SessionTrackerModule.forSettings(settings), PrmJudgeModule.forSettings(settings)];
    return Promise.all(modules.map(async (module) => opened.add(await startWorker(module, []))));
  }

  /** In place of the tracker: takes one turn, and is not done with it before the test is. */
  holdTurns(opened: Opened): void {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    opened.add({
      stop: () => {
        release();
      },
    });
    this.bus.consume({ consumer: CONSUMERS.trackerTurns, slots: 1, handle: () => held });
  }

  consult(ids: readonly string[], { env = {}, options = {} }: Sight = {}): ReturnType<typeof consult> {
    const at = { gateway: this.parts.gateway.url, door: this.doorUrl };
    return consult(ids, { env: { ...this.parts.env, ...env }, options: { ...at, ...options } });
  }

  /** The server is started again, and takes no messages above so many bytes from then on. */
  async shrinkMessages(maxPayload: number): Promise<void> {
    const { nats, natsOptions, bus } = this.parts;
    natsOptions.config = `max_payload: ${maxPayload}`;
    await nats.restart();
    await until(() => bus.isUp && bus.connection.current().nc.info?.max_payload === maxPayload, { what: 'the limit' });
  }

  /** Messages in all streams. */
  async stored(): Promise<number> {
    const { jsm } = this.bus.connection.current();
    const infos = await Promise.all(STREAM_NAMES.map((name) => jsm.streams.info(name)));
    return infos.reduce((sum, { state }) => sum + state.messages, 0);
  }
}
