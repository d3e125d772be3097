import type { Bus } from '@app/bus';
import type { Settings } from '@app/config';
import type { ReadinessCheck } from '@app/telemetry';
import type { Voter } from './voter';

/** Without the bus there is no work; without the judge it waits, and goes on by itself. */
export const votingReadiness =
  (bus: Pick<Bus, 'isUp'>, voter: Pick<Voter, 'isPaused' | 'isGated'>): ReadinessCheck =>
  () => {
    const judge = voter.isPaused ? 'paused' : 'up';
    const detail = { bus: bus.isUp ? 'up' : 'down', judge: voter.isGated ? 'waits for a weight update' : judge };
    if (!bus.isUp) return { ready: false, status: 'unavailable', detail };
    return { ready: true, status: voter.isPaused ? 'degraded' : 'ok', detail };
  };

/** Of an app whose findings rl.algorithm has no use for: it takes no turn, and waits for nobody. */
export const restingReadiness =
  ({ rl }: Pick<Settings, 'rl'>, bus: Pick<Bus, 'isUp'>): ReadinessCheck =>
  () => ({
    ready: bus.isUp,
    status: bus.isUp ? 'ok' : 'unavailable',
    detail: { bus: bus.isUp ? 'up' : 'down', judge: `not asked with rl.algorithm ${rl.algorithm}` },
  });
