import { seededRandom, type Random } from '@app/pocket-lm';
import { exponential, nextArrival } from './arrivals';
import { dayProfile } from './day-profile';
import { gpuSecondsOf } from './gpu-seconds';
import type { Gpu, Load } from './load';
import { resumesAt, type Outage } from './outage';
import { Simulator } from './simulator';
import { Station, type Job, type StationReport } from './station';
import { Trainer, type TrainerReport } from './trainer';

const HOUR = 3600;
const DAY_SECONDS = 24 * HOUR;

export interface DayPlan {
  readonly load: Load;
  readonly gpu: Gpu;
  /** GPUs that judge, and GPUs that vote on hints and score. */
  readonly judges: number;
  readonly teachers: number;
  /** Whether judge and teacher stand still with the policy while weights are changed, since they share its GPUs. */
  readonly sharesGpus: boolean;
  /** Of the engines that judge and teach; null: none. */
  readonly outage: Outage | null;
  readonly probeSeconds: number;
  readonly queueSize: number;
  readonly hours: number;
  readonly intervalSeconds: number;
  readonly seed: number;
}

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

interface Turn extends Job {
  /** Halves that are not there yet. */
  missing: number;
  readonly isSampled: boolean;
}

/** A turn as one of the stations sees it. */
interface Half extends Job {
  readonly turn: Turn;
}

/** Numbers of its own for each purpose, so that a judge more changes neither who comes nor what is asked. */
const randomsOf = (seed: number): Record<'arrivals' | 'fates' | 'judge' | 'teacher', Random> => ({
  arrivals: seededRandom(seed),
  fates: seededRandom(seed + 0x1000_0000),
  judge: seededRandom(seed + 0x2000_0000),
  teacher: seededRandom(seed + 0x3000_0000),
});

/**
 * A day (or some hours from midnight on) of one installation, in virtual time: turns come by the day's profile and wait at the
 * gate while it is closed; those that are followed are judged and given hints side by side; what trains waits for its batch; batches
 * close the gate. All that has come is brought to its end. The same plan gives the same report.
 */
export const simulateDay = (plan: DayPlan): DayReport => {
  const { load, gpu, outage, intervalSeconds } = plan;
  const simulator = new Simulator();
  const random = randomsOf(plan.seed);
  const seconds = gpuSecondsOf(load, gpu);
  const complete = ({ turn }: Half): void => {
    turn.missing -= 1;
    if (turn.missing === 0 && turn.isSampled) trainer.offer();
  };
  const gate = new Station<Turn>(simulator, { servers: Infinity, intervalSeconds });
  const pool = (gpus: number): Station<Half> =>
    new Station<Half>(simulator, { servers: gpus * gpu.turnsAtOnce, intervalSeconds, done: complete });
  const judge = pool(plan.judges);
  const teacher = pool(plan.teachers);
  const trainer = new Trainer(
    simulator,
    { ...load, queueSize: plan.queueSize, intervalSeconds },
    plan.sharesGpus ? [gate, judge, teacher] : [gate],
  );

  // A full GPU works on many turns at once, each of them as much more slowly.
  const halfOf = (turn: Turn, mean: number, draw: Random): Half => ({
    turn,
    seconds: mean * gpu.turnsAtOnce * exponential(draw),
  });
  const arrive = (): void => {
    const isFollowed = random.fates() < load.followedShare;
    const isSampled = random.fates() < load.sampledShare;
    const turn = { seconds: 0, missing: load.asksForHints ? 2 : 1, isSampled };
    gate.arrive(turn);
    if (!isFollowed) return;
    judge.arrive(halfOf(turn, seconds.judge, random.judge));
    if (load.asksForHints) teacher.arrive(halfOf(turn, seconds.teacher, random.teacher));
  };

  const mean = (load.users * load.turnsPerUserDay) / DAY_SECONDS;
  const profile = dayProfile(load.peakFactor);
  const rate = { rate: (time: number) => mean * profile(time), most: mean * load.peakFactor };
  const end = plan.hours * HOUR;
  const comeNext = (): void => {
    const time = nextArrival(simulator.now, rate, random.arrivals);
    if (time >= end) return;
    simulator.at(time, () => {
      arrive();
      comeNext();
    });
  };
  comeNext();

  let recoverySeconds: number | null = null;
  if (outage !== null) {
    const isOver = outage.fromSeconds + outage.seconds;
    const watch = (): void => {
      if (judge.length < plan.judges * gpu.turnsAtOnce) recoverySeconds = simulator.now - isOver;
      else simulator.after(1, watch);
    };
    simulator.at(outage.fromSeconds, () => {
      judge.breakDown();
      teacher.breakDown();
    });
    simulator.at(resumesAt(outage, plan.probeSeconds), () => {
      judge.open();
      teacher.open();
      watch();
    });
  }
  simulator.run();
  const held = gate.report();
  return {
    turns: held.arrived,
    held,
    judge: judge.report(),
    teacher: teacher.report(),
    trainer: trainer.report(),
    recoverySeconds,
  };
};
