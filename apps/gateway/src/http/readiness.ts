import type { Bus } from '@app/bus';
import type { ReadinessCheck } from '@app/telemetry';
import type { Gate } from '../gate/gate';
import type { UpstreamService } from '../upstream/upstream.service';

/** Not ready only without a policy: without the bus the gateway serves on, degraded. */
export const readinessCheck =
  (bus: Bus, upstream: UpstreamService, gate: Gate): ReadinessCheck =>
  async () => {
    const reachable = await upstream.isReachable();
    const detail = {
      policy: reachable ? 'reachable' : 'unreachable',
      bus: bus.isUp ? 'up' : 'down',
      gate: gate.isClosed ? 'closed' : 'open',
      token_ids: upstream.refusesAdditions ? 'refused' : 'asked_for',
    };
    if (!reachable) return { ready: false, status: 'unavailable', detail };
    return { ready: true, status: bus.isUp ? 'ok' : 'degraded', detail };
  };
