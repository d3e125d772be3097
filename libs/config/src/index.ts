export { describeSettings, settingsTable, type SettingRow } from './describe-settings';
export { configuredSettings, configuredValues, plainVariables, valueOf, type ConfiguredSetting } from './configured';
export { loadSettings } from './load-settings';
export { nearestNameOrNull } from './nearest-name';
export { isLoopback, plainHttpWarning } from './loopback';
export { Settings, type SectionName } from './settings';
export { SettingsError } from './settings-error';
export { SettingsModule } from './settings.module';
export { CONFIG_PATH_VARIABLE, type Environment, type ReadFile } from './sources';
export { ConsoleSettings } from './sections/console';
export { DoorSettings } from './sections/door';
export { GATE_PAUSES, GateSettings, type GatePause } from './sections/gate';
export { GatewaySettings } from './sections/gateway';
export { JudgeSettings, VERDICT_FORMATS, type VerdictFormat } from './sections/judge';
export { LOG_LEVELS, LogsSettings, type LogFormat, type LogLevel } from './sections/logs';
export { MetricsSettings } from './sections/metrics';
export { NatsSettings } from './sections/nats';
export { PocketSettings } from './sections/pocket';
export { PoolsSettings, type GpuShare } from './sections/pools';
export { OpdSettings } from './sections/opd';
export { RecordsSettings } from './sections/records';
export { ALGORITHMS, RlSettings, type Algorithm } from './sections/rl';
export { ServerSettings } from './sections/server';
export { SessionSettings } from './sections/session';
export { SlimeSettings } from './sections/slime';
export {
  BATCH_FORMATS,
  TRAINER_BACKENDS,
  TrainerSettings,
  type BatchFormat,
  type TrainerBackendName,
} from './sections/trainer';
export { TracingSettings } from './sections/tracing';
export { TrainingSettings } from './sections/training';
