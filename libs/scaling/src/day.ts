import { seededRandom } from '@app/pocket-lm';
import { nextArrival } from './arrivals';
import { Cluster } from './cluster';
import type { DayPlan } from './day-plan';
import { dayProfile } from './day-profile';
import { resumesAt, type Outage } from './outage';
import { Simulator } from './simulator';
import type { StationReport } from './station';
import type { TrainerReport } from './trainer';

const HOUR = 3600;
const DAY_SECONDS = 24 * HOUR;
/** Between two looks at whether an outage is over for those who wait. */
const WATCH_SECONDS = 1;

export interface DayReport {
  /** Turns that came; in `held` each of them, most without a wait. */
  readonly turns: number;
  readonly held: StationReport;
  readonly judge: StationReport;
  readonly teacher: StationReport;
  readonly trainer: TrainerReport;
  /** From the end of the outage until less waits than is worked on at once; null without an outage. */
  readonly recoverySeconds: number | null;
}

/** Lets turns come by the day's profile. */
const letCome = (simulator: Simulator, { load, hours, seed }: DayPlan, arrive: () => void): void => {
  const random = seededRandom(seed);
  const mean = (load.users * load.turnsPerUserDay) / DAY_SECONDS;
  const profile = dayProfile(load.peakFactor);
  const rate = { rate: (time: number) => mean * profile(time), most: mean * load.peakFactor };
  const comeNext = (): void => {
    const time = nextArrival(simulator.now, rate, random);
    if (time >= hours * HOUR) return;
    simulator.at(time, () => {
      arrive();
      comeNext();
    });
  };
  comeNext();
};

/** Breaks judge and teacher down, and calls `recovered` with the seconds from the outage's end until less waits than is worked on at once. */
const letBreak = (
  simulator: Simulator,
  { judge, teacher }: Cluster,
  { outage, probeSeconds, judges, gpu }: DayPlan & { readonly outage: Outage },
  recovered: (seconds: number) => void,
): void => {
  const watch = (): void => {
    if (judge.length < judges * gpu.turnsAtOnce) recovered(simulator.now - outage.fromSeconds - outage.seconds);
    else simulator.after(WATCH_SECONDS, watch);
  };
  simulator.at(outage.fromSeconds, () => {
    judge.breakDown();
    teacher.breakDown();
  });
  simulator.at(resumesAt(outage, probeSeconds), () => {
    judge.open();
    teacher.open();
    watch();
  });
};

/**
 * A day (or some hours from midnight on) of one installation, in virtual time: turns come by the day's profile and wait at the
 * gate while it is closed; those that are followed are judged and given hints side by side; what trains waits for its batch; batches
 * close the gate. All that has come is brought to its end. The same plan gives the same report.
 */
export const simulateDay = (plan: DayPlan): DayReport => {
  const simulator = new Simulator();
  const cluster = new Cluster(simulator, plan);
  letCome(simulator, plan, () => {
    cluster.arrive();
  });
  let recoverySeconds: number | null = null;
  const { outage } = plan;
  if (outage !== null) {
    letBreak(simulator, cluster, { ...plan, outage }, (seconds) => {
      recoverySeconds = seconds;
    });
  }
  simulator.run();
  const held = cluster.gate.report();
  return {
    turns: held.arrived,
    held,
    judge: cluster.judge.report(),
    teacher: cluster.teacher.report(),
    trainer: cluster.trainer.report(),
    recoverySeconds,
  };
};
