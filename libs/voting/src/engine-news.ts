import { Logger } from '@nestjs/common';
import type { Telemetry } from '@app/telemetry';

/** Tells operators which of a pool's engines are asked: metrics, and a line whenever that changes. */
export class EngineNews {
  private readonly logger = new Logger('engines');

  /** @param pool who asks them, as metrics call it */
  constructor(
    private readonly pool: 'prm' | 'teacher',
    private readonly telemetry: Telemetry,
  ) {}

  /** Sets the metrics. @param isOut no request goes there: it fails again and again */
  show(engine: string, isOut: boolean): void {
    const { metrics } = this.telemetry;
    const { pool } = this;
    metrics.engineInRotation.set({ pool, engine }, isOut ? 0 : 1);
    metrics.engineCondition.set({ pool, engine, condition: 'ok' }, isOut ? 0 : 1);
    metrics.engineCondition.set({ pool, engine, condition: 'sick' }, isOut ? 1 : 0);
  }

  /** Sets the metrics, and says what has changed. */
  tell(engine: string, isOut: boolean): void {
    this.show(engine, isOut);
    if (isOut) {
      this.telemetry.metrics.engineEjections.inc({ pool: this.pool, engine, condition: 'sick' });
      this.logger.warn(`${this.pool} engine ${engine} gets no requests: it fails again and again`);
    } else this.logger.log(`${this.pool} engine ${engine} gets requests again: it answers`);
  }
}
