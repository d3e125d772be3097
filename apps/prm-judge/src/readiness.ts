import type { Bus } from '@app/bus';
import type { ReadinessCheck } from '@app/telemetry';
import type { JudgeService } from './judging/judge.service';

/** Without the bus there is no work; without the judge it waits, and goes on by itself. */
export const readinessCheck =
  (bus: Pick<Bus, 'isUp'>, judge: Pick<JudgeService, 'isPaused'>): ReadinessCheck =>
  () => {
    const detail = { bus: bus.isUp ? 'up' : 'down', judge: judge.isPaused ? 'paused' : 'up' };
    if (!bus.isUp) return { ready: false, status: 'unavailable', detail };
    return { ready: true, status: judge.isPaused ? 'degraded' : 'ok', detail };
  };
