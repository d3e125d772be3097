import { ConsoleSettings } from './sections/console';
import { DoorSettings } from './sections/door';
import { GateSettings } from './sections/gate';
import { GatewaySettings } from './sections/gateway';
import { JudgeSettings } from './sections/judge';
import { LogsSettings } from './sections/logs';
import { MetricsSettings } from './sections/metrics';
import { NatsSettings } from './sections/nats';
import { PocketSettings } from './sections/pocket';
import { PoolsSettings } from './sections/pools';
import { OpdSettings } from './sections/opd';
import { RecordsSettings } from './sections/records';
import { RewardSettings } from './sections/reward';
import { RlSettings } from './sections/rl';
import { ServerSettings } from './sections/server';
import { SessionSettings } from './sections/session';
import { SlimeSettings } from './sections/slime';
import { TracingSettings } from './sections/tracing';
import { TrainerSettings } from './sections/trainer';
import { TrainingSettings } from './sections/training';

/**
 * All settings of the product, checked and resolved: one property per section of `openclaw-rl.toml`. `new Settings()`
 * has the defaults; `loadSettings` is the way to real ones. Also the token under which Nest injects them.
 */
export class Settings {
  readonly rl: RlSettings = new RlSettings();
  readonly server: ServerSettings = new ServerSettings();
  readonly gateway: GatewaySettings = new GatewaySettings();
  readonly nats: NatsSettings = new NatsSettings();
  readonly session: SessionSettings = new SessionSettings();
  readonly judge: JudgeSettings = new JudgeSettings();
  readonly opd: OpdSettings = new OpdSettings();
  readonly reward: RewardSettings = new RewardSettings();
  readonly slime: SlimeSettings = new SlimeSettings();
  readonly pools: PoolsSettings = new PoolsSettings();
  readonly gate: GateSettings = new GateSettings();
  readonly door: DoorSettings = new DoorSettings();
  readonly console: ConsoleSettings = new ConsoleSettings();
  readonly trainer: TrainerSettings = new TrainerSettings();
  readonly training: TrainingSettings = new TrainingSettings();
  readonly pocket: PocketSettings = new PocketSettings();
  readonly records: RecordsSettings = new RecordsSettings();
  readonly logs: LogsSettings = new LogsSettings();
  readonly metrics: MetricsSettings = new MetricsSettings();
  readonly tracing: TracingSettings = new TracingSettings();
}

export type SectionName = keyof Settings;
