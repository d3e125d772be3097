import type { Bus } from '@app/bus';
import type { ReadinessCheck } from '@app/telemetry';
import { votingReadiness, type Voter } from '@app/voting';
import type { Teacher } from './teaching/teacher';

/** Without the bus there is no work; without judge or teacher it waits, and goes on by itself. */
export const readinessCheck = (
  bus: Pick<Bus, 'isUp'>,
  voter: Pick<Voter, 'isPaused' | 'isGated'>,
  teacher: Pick<Teacher, 'state'>,
): ReadinessCheck => {
  const voting = votingReadiness(bus, voter);
  return async () => {
    const report = await voting();
    const { state } = teacher;
    const status = state === 'up' || !report.ready ? report.status : 'degraded';
    return { ...report, status, detail: { ...report.detail, teacher: state } };
  };
};
