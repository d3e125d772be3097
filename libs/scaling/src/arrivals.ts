import type { Random } from '@app/pocket-lm';

/** Exponential durations with mean 1 (the times between events of rate 1). */
export const exponential = (random: Random): number => -Math.log(1 - random());

export interface ArrivalRate {
  /** Arrivals per second at a time. */
  readonly rate: (seconds: number) => number;
  /** The highest that `rate` ever is. */
  readonly most: number;
}

/**
 * When the next one comes, of independent arrivals whose rate changes over time: candidates at the highest rate, of which each is taken
 * with the share that the rate then is of it (thinning).
 */
export const nextArrival = (now: number, { rate, most }: ArrivalRate, random: Random): number => {
  let time = now;
  do time += exponential(random) / most;
  while (random() * most >= rate(time));
  return time;
};
