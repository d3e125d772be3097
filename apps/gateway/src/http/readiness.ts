import type { Bus } from '@app/bus';
import { remedyFor } from '@app/patrol';
import type { ReadinessCheck } from '@app/telemetry';
import type { Gate } from '../gate/gate';
import type { UpstreamService } from '../upstream/upstream.service';

/** How token ids are captured, and why not in a better way. */
const routeOf = ({
  route,
  routeReason,
  refusesAdditions,
}: UpstreamService): { route: string; route_reason: string } => {
  if (refusesAdditions) return { route: 'text', route_reason: 'the policy server refuses requests for them' };
  if (routeReason === null) return { route: 'unknown', route_reason: 'the policy server has not been asked yet' };
  return { route, route_reason: routeReason };
};

/** Engines as operators know them. What a single one that is in order would say, `policy` says already. */
const enginesOf = ({ states }: UpstreamService): { engines?: object[] } => {
  if (states.length < 2 && states.every(({ condition }) => condition === 'ok')) return {};
  return {
    engines: states.map((state) => {
      const { name, condition, inRotation, weights, expected } = state;
      const shown = { engine: name, condition, in_rotation: inRotation };
      return condition === 'stale'
        ? { ...shown, weights, expected_weights: expected, remedy: remedyFor(state) }
        : shown;
    }),
  };
};

/** Not ready only without a policy: without the bus, or some of its engines, the gateway serves on, degraded. */
export const readinessCheck =
  (bus: Bus, upstream: UpstreamService, gate: Gate): ReadinessCheck =>
  async () => {
    const reachable = await upstream.isReachable();
    const detail = {
      policy: reachable ? 'reachable' : 'unreachable',
      bus: bus.isUp ? 'up' : 'down',
      gate: gate.isClosed ? 'closed' : 'open',
      ...routeOf(upstream),
      ...enginesOf(upstream),
    };
    const isWhole = bus.isUp && upstream.states.every(({ condition }) => condition === 'ok');
    if (!reachable) return { ready: false, status: 'unavailable', detail };
    return { ready: true, status: isWhole ? 'ok' : 'degraded', detail };
  };
