import { Injectable, Logger } from '@nestjs/common';
import type { TracingSettings } from '@app/config';
import { errorType, NO_TRACER, openTracer, type Tracer } from '@app/tracing';
import { Registry } from 'prom-client';
import { describeError, errorName } from './error-name';
import { EXPORTS, type AppName } from './exports';
import { createRegistry, type Metrics } from './metrics';
import { lineOn } from './turn-line';
import { addZeros } from './zeros';

/** Metrics, spans and log lines of one app. Never given a conversation's text. */
@Injectable()
export class Telemetry {
  readonly registry: Registry;
  readonly metrics: Metrics;
  tracer: Tracer = NO_TRACER;
  private readonly logger = new Logger('bus');
  private readonly tracing = new Logger('tracing');
  private readonly readings: (() => void | Promise<void>)[] = [];

  constructor() {
    const { registry, metrics } = createRegistry();
    this.registry = registry;
    this.metrics = metrics;
  }

  /** With spans, where the settings ask for them. */
  static async forApp(app: AppName, settings: TracingSettings): Promise<Telemetry> {
    const telemetry = new Telemetry();
    const collector = new URL(settings.endpoint).host;
    telemetry.tracer = await openTracer(app, settings, {
      onDropped: (cause, count) => {
        telemetry.metrics.spansDropped.inc({ cause }, count);
      },
      onOutage: (error) => {
        telemetry.tracing.warn(
          `spans could not be sent to ${collector} (${errorType(error)}); until they can be they are dropped and counted`,
        );
      },
      onRecovery: () => {
        telemetry.tracing.log(`spans are sent to ${collector} again`);
      },
    });
    return telemetry;
  }

  /** Has values read that are known to somebody else, whenever somebody asks for the metrics. */
  readBeforeExport(reading: () => void | Promise<void>): void {
    this.readings.push(reading);
  }

  /** The text that Prometheus reads: of the process, and of what concerns the app. */
  async exportFor(app: AppName): Promise<string> {
    // A reading that fails has nothing to show, and must not keep the rest from being seen.
    await Promise.allSettled(this.readings.map(async (read) => read()));
    addZeros(app, this.metrics);
    const others = new Set<unknown>(Object.values(this.metrics));
    for (const key of EXPORTS[app]) others.delete(this.metrics[key]);
    const exported = new Registry();
    for (const { name } of this.registry.getMetricsAsArray()) {
      const metric = this.registry.getSingleMetric(name);
      if (metric !== undefined && !others.has(metric)) exported.registerMetric(metric);
    }
    return exported.metrics();
  }

  busRefused(reason: string): void {
    this.logger.warn(`${reason}; trying on until it answers`);
  }

  busConnected(connected: boolean): void {
    this.metrics.busUp.set(connected ? 1 : 0);
    if (connected) this.logger.log('NATS connected');
    else this.logger.warn('NATS connection lost, trying again until it is back');
  }

  handlerFailed(delivery: { subject: string; deliveries: number }, error: unknown): void {
    this.metrics.handlerErrors.inc({ error: errorName(error) });
    this.logger.warn(lineOn(delivery.subject, `delivery ${delivery.deliveries}: ${describeError(error)}`));
  }

  /** So that a turn's way through the services can be followed by its id. */
  messageStored(subject: string): void {
    this.logger.debug(lineOn(subject, 'stored'));
  }
}
