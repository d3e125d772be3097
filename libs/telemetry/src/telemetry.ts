import { Injectable, Logger } from '@nestjs/common';
import type { Registry } from 'prom-client';
import { createRegistry, type Metrics } from './metrics';

/** Metrics and log lines of one app. Never given a conversation's text. */
@Injectable()
export class Telemetry {
  readonly registry: Registry;
  readonly metrics: Metrics;
  private readonly logger = new Logger('bus');

  constructor() {
    const { registry, metrics } = createRegistry();
    this.registry = registry;
    this.metrics = metrics;
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
    const name = error instanceof Error ? error.name : typeof error;
    this.metrics.handlerErrors.inc({ error: name });
    // A parser's message quotes what it was given, which may be a conversation.
    const detail = error instanceof Error && !(error instanceof SyntaxError) ? error.message : '';
    this.logger.warn(`${delivery.subject}, delivery ${delivery.deliveries}: ${name} ${detail}`);
  }
}
