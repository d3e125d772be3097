/** A time during which an engine answers nothing. */
export interface Outage {
  readonly fromSeconds: number;
  readonly seconds: number;
}

/**
 * When work goes on behind an outage: with the first probe of the breaker that finds the engine there. Nothing is asked for
 * `probeSeconds` (`judge.breaker_open_s`) behind the failures that opened it, and behind each probe that failed.
 */
export const resumesAt = ({ fromSeconds, seconds }: Outage, probeSeconds: number): number =>
  fromSeconds + Math.max(1, Math.ceil(seconds / probeSeconds)) * probeSeconds;
