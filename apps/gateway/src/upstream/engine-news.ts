import { Logger } from '@nestjs/common';
import { ENGINE_CONDITIONS, type EngineState } from '@app/engines';
import type { Telemetry } from '@app/telemetry';

const POOL = 'policy';

const whyOf = ({ condition, weights, expected }: EngineState): string => {
  switch (condition) {
    case 'ok':
      return 'it is in order';
    case 'sick':
      return 'it fails again and again';
    case 'stale':
      return `it serves the weights ${JSON.stringify(weights)}, and not ${JSON.stringify(expected)}`;
  }
};

/** Tells operators of the policy's engines: metrics, and a line whenever something has changed. */
export class EngineNews {
  private readonly logger = new Logger('engines');
  private readonly out = new Set<string>();

  constructor(private readonly telemetry: Telemetry) {}

  /** Sets the metrics. */
  show({ name: engine, condition, inRotation }: EngineState): void {
    const { metrics } = this.telemetry;
    metrics.engineInRotation.set({ pool: POOL, engine }, inRotation ? 1 : 0);
    for (const each of ENGINE_CONDITIONS) {
      metrics.engineCondition.set({ pool: POOL, engine, condition: each }, each === condition ? 1 : 0);
    }
  }

  /** Sets the metrics, and says what has changed. */
  tell(state: EngineState): void {
    this.show(state);
    const { name, condition, inRotation } = state;
    const line = (what: string): string => `policy engine ${name} ${what}: ${whyOf(state)}`;
    if (!inRotation) {
      if (!this.out.has(name)) this.telemetry.metrics.engineEjections.inc({ pool: POOL, engine: name, condition });
      this.out.add(name);
      this.logger.warn(line('gets no requests'));
      return;
    }
    const isBack = this.out.delete(name);
    if (condition === 'ok') this.logger.log(line(isBack ? 'gets requests again' : 'is well again'));
    else this.logger.warn(line('gets requests all the same'));
  }
}
