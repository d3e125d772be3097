import { Logger } from '@nestjs/common';
import { ENGINE_CONDITIONS, type EngineState } from '@app/engines';
import type { Telemetry } from '@app/telemetry';

const whyOf = ({ condition, weights, expected }: EngineState): string => {
  switch (condition) {
    case 'ok':
      return 'it is in order';
    case 'sick':
      return 'its last calls or health checks have failed';
    case 'stale':
      return `it serves the weights ${JSON.stringify(weights)}, and not ${JSON.stringify(expected)}`;
  }
};

/**
 * What an operator can do about an engine with other weights than the gate has; null where there is no such thing. As long as
 * another engine has the right ones, it came back with old ones. Where none has, somebody may have changed them on purpose,
 * past the door: which of the two it was nobody but the operator knows.
 */
export const remedyFor = ({ condition, inRotation, weights }: EngineState): string | null => {
  if (condition !== 'stale') return null;
  if (!inRotation) return 'load the right weights into it, or let the next update do it';
  const commit = `{"engine_version": ${JSON.stringify(weights)}}`;
  return `nothing that it makes is trained on until it has the right weights again, by its restart or by the next update; if these are meant, make them the next version at the trainer's door: POST /v1/policy/updates, then POST /v1/policy/updates/TOKEN/commit, as {"weights_path": THEIR FOLDER} if a trainer goes on from it (the pocket model's does), else commit with ${commit}`;
};

/** Tells operators of a pool's engines: metrics, and a line whenever something has changed. */
export class EngineNews {
  private readonly logger = new Logger('engines');
  private readonly told = new Map<string, EngineState>();

  /** @param pool as metrics and lines call it */
  constructor(
    private readonly pool: 'policy' | 'prm' | 'teacher',
    private readonly telemetry: Telemetry,
  ) {}

  /** Sets the metrics. */
  show({ name: engine, condition, inRotation }: EngineState): void {
    const { pool } = this;
    const { metrics } = this.telemetry;
    metrics.engineInRotation.set({ pool, engine }, inRotation ? 1 : 0);
    for (const each of ENGINE_CONDITIONS) {
      metrics.engineCondition.set({ pool, engine, condition: each }, each === condition ? 1 : 0);
    }
  }

  /** Sets the metrics, and says what has changed. */
  tell(state: EngineState): void {
    this.show(state);
    const { name, condition, inRotation } = state;
    const last = this.told.get(name);
    this.told.set(name, state);
    if (last?.condition === condition && last.inRotation === inRotation) return;
    const wasIn = last?.inRotation ?? true;
    const remedy = remedyFor(state);
    const line = (what: string): string =>
      `${this.pool} engine ${name} ${what}: ${whyOf(state)}${remedy === null ? '' : `; ${remedy}`}`;
    if (!inRotation) {
      if (wasIn) this.telemetry.metrics.engineEjections.inc({ pool: this.pool, engine: name, condition });
      this.logger.warn(line('gets no requests'));
    } else if (condition === 'ok') this.logger.log(line(wasIn ? 'is well again' : 'gets requests again'));
    else if (wasIn) this.logger.warn(line('is out of order, and is asked where there is no better one'));
    else this.logger.warn(line('gets requests again, since no other is in order'));
  }
}
