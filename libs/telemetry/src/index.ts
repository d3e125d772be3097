export { READINESS, type Readiness, type ReadinessCheck } from './health';
export { createRegistry, type Metrics } from './metrics';
export { launch, LOG_LEVELS, runApp, type AppOptions, type LogLevel } from './run-app';
export { Telemetry } from './telemetry';
export { HealthModule, TelemetryModule } from './telemetry.module';
