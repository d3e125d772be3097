import { resumesAt, type Outage } from './outage';
import { Simulator } from './simulator';
import { Station, type Job } from './station';

/** A turn of which it is known when it comes and how long it takes. */
export interface KnownTurn extends Job {
  readonly at: number;
}

export interface ReplayOptions {
  readonly servers: number;
  /** @default none */
  readonly outage?: Outage | null;
  readonly probeSeconds: number;
}

/** When each of these turns is done, in their order: what the model says of arrivals and durations that are given. */
export const replay = (
  turns: readonly KnownTurn[],
  { servers, outage = null, probeSeconds }: ReplayOptions,
): number[] => {
  const simulator = new Simulator();
  const ends = new Map<KnownTurn, number>();
  const station = new Station<KnownTurn>(simulator, {
    servers,
    intervalSeconds: probeSeconds,
    done: (turn) => ends.set(turn, simulator.now),
  });
  for (const turn of turns) {
    simulator.at(turn.at, () => {
      station.arrive(turn);
    });
  }
  if (outage !== null) {
    simulator.at(outage.fromSeconds, () => {
      station.breakDown();
    });
    simulator.at(resumesAt(outage, probeSeconds), () => {
      station.open();
    });
  }
  simulator.run();
  return turns.map((turn) => ends.get(turn) ?? Infinity);
};
