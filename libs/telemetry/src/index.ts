export { READINESS, type Readiness, type ReadinessCheck } from './health';
export { describeMetrics, metricsTable, type MetricRow } from './describe-metrics';
export { EXPORTS, type AppName } from './exports';
export { createRegistry, type Metrics } from './metrics';
export { errorName } from './error-name';
export { endConnectionsAtClose } from './end-connections';
export { launch, runApp, runWorker, type AppOptions } from './run-app';
export { Telemetry } from './telemetry';
export { HealthModule, TelemetryModule } from './telemetry.module';
