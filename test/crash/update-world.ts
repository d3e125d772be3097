import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Bus } from '@app/bus';
import { PolicyStore, type PolicyState } from '@app/pools';
import { freePort, until } from '@app/testing';
import { publishTurn, settledOf } from '../integration/submitter-harness';
import { EngineProcess } from './engine-process';
import { Service } from './service';
import { CrashStack } from './stack';

const GATE_LEASE_S = 2;
const LOAD_MS = 1500;
const BATCH = 2;

/** What a trainer does differently. */
export interface TrainerOptions {
  /** Which door it asks, from 0: the first one lets engines stand in place, the second one has answers end first. @default 0 */
  readonly door?: number;
  /** It trains while the gate is closed. @default false */
  readonly inGate?: boolean;
  /** Where it stops until it is told to go on. @default nowhere */
  readonly holdAt?: 'train' | 'publish';
}

/** A trainer as a process of its own: the real one, whose batches also become new weights. */
export class TrainerProcess extends Service {
  /** Lets it go on. */
  release(): void {
    writeFileSync(this.options.env.PUBLISH_GO ?? '', '');
  }

  async says(text: string): Promise<void> {
    await until(() => this.output.includes(text), {
      what: `${this.name} says ${text}`,
      timeoutMs: 30_000,
      everyMs: 10,
    });
  }
}

/** Gateways, doors and NATS as processes, two engines and any number of trainers besides. */
export class UpdateWorld {
  private readonly trainers: TrainerProcess[] = [];
  private published = 0;

  private constructor(
    readonly stack: CrashStack,
    readonly engines: readonly [EngineProcess, EngineProcess],
    readonly bus: Bus,
  ) {}

  static async start(answers: string): Promise<UpdateWorld> {
    const flags = ['--load-ms', String(LOAD_MS), '--script', answers];
    const engines = [await EngineProcess.start(flags), await EngineProcess.start(flags)] as const;
    let doors = 0;
    const stack = await CrashStack.start({
      idleS: 60,
      replicas: { 'session-tracker': 1, 'prm-judge': 1 },
      env: {
        OPENCLAW_RL_SERVER_BASE_URL: '',
        OPENCLAW_RL_POOLS_POLICY_ENGINES: engines.map(({ url }) => url).join(','),
        OPENCLAW_RL_POOLS_CHECK_EVERY_S: '0.2',
        OPENCLAW_RL_RL_MAX_STALENESS: '100',
        OPENCLAW_RL_RL_ROLLOUT_STEPS: String(BATCH),
        OPENCLAW_RL_GATE_LEASE_S: String(GATE_LEASE_S),
        OPENCLAW_RL_DOOR_LEASE_S: '3',
      },
      envOf: (app): Record<string, string> =>
        app === 'sample-submitter' ? { OPENCLAW_RL_GATE_PAUSE: doors++ === 0 ? 'in_place' : 'drain' } : {},
    });
    const bus = new Bus({ app: 'test', url: stack.nats.url, storeGb: 1, replicas: 1 });
    await bus.ready();
    return new UpdateWorld(stack, engines, bus);
  }

  /** Samples that were stored. */
  get samples(): number {
    return this.published;
  }

  state(): Promise<PolicyState> {
    return new PolicyStore(this.bus).read();
  }

  until(what: string, condition: (state: PolicyState) => boolean | Promise<boolean>): Promise<unknown> {
    return until(async () => condition(await this.state()), { what, timeoutMs: 60_000, everyMs: 20 });
  }

  /** Has one more batch settled, of turns of the policy as it is. */
  async addBatch(): Promise<void> {
    const { version } = await this.state();
    const turnIds = Array.from({ length: BATCH }, () => `t${(this.published += 1)}`);
    for (const turnId of turnIds) await publishTurn(this.bus, turnId, 1, { policyVersion: version });
    for (const turnId of turnIds) await until(() => settledOf(this.bus, turnId), { what: turnId, timeoutMs: 60_000 });
  }

  async startTrainer(name: string, { door = 0, inGate = false, holdAt }: TrainerOptions = {}): Promise<TrainerProcess> {
    const folder = join(this.stack.folder, name);
    mkdirSync(folder);
    const { env } = this.stack.of('sample-submitter')[door]!.options;
    const trainer = new TrainerProcess({
      app: 'trainer',
      name,
      logs: join(this.stack.folder, 'logs'),
      preload: join(__dirname, 'publishing.cjs'),
      env: {
        ...env,
        OPENCLAW_RL_TRAINER_NAME: name,
        OPENCLAW_RL_TRAINER_DIR: join(folder, 'batches'),
        OPENCLAW_RL_TRAINER_DOOR_URL: this.stack.doors[door]!,
        OPENCLAW_RL_METRICS_PORT: String(await freePort()),
        OPENCLAW_RL_SLIME_COLOCATE: String(inGate),
        OPENCLAW_RL_LOGS_LEVEL: 'info',
        PUBLISH_HOLD: holdAt ?? '',
        PUBLISH_GO: join(folder, 'go'),
      },
    });
    trainer.start();
    this.trainers.push(trainer);
    return trainer;
  }

  /** Turns that a trainer has written down as trained on. */
  trainedBy({ name }: TrainerProcess): readonly string[] {
    const manifest = join(this.stack.folder, name, 'batches', 'manifest.json');
    if (!existsSync(manifest)) return [];
    return (JSON.parse(readFileSync(manifest, 'utf8')) as { batches: { turn_ids: string[] }[] }).batches.flatMap(
      ({ turn_ids }) => turn_ids,
    );
  }

  async stop(): Promise<void> {
    await Promise.all(this.trainers.map((trainer) => trainer.kill()));
    await this.bus.close();
    await this.stack.stop();
    await Promise.all(this.engines.map((engine) => engine.kill()));
    rmSync(this.stack.folder, { recursive: true, force: true });
  }
}
