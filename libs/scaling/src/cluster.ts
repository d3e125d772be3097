import { seededRandom, type Random } from '@app/pocket-lm';
import { exponential } from './arrivals';
import type { DayPlan } from './day-plan';
import { gpuSecondsOf, type GpuSeconds } from './gpu-seconds';
import type { Simulator } from './simulator';
import { Station, type Job } from './station';
import { Trainer } from './trainer';

interface Turn extends Job {
  /** Halves that are not there yet. */
  missing: number;
  readonly isSampled: boolean;
}

/** A turn as judge or teacher see it. */
interface Half extends Job {
  readonly turn: Turn;
}

type Draws = Readonly<Record<'fates' | 'judge' | 'teacher' | 'failures', Random>>;

/** When a turn that alone failed comes back, as `outageDelayMs` of the voting library has it. */
const retrySeconds = (deliveries: number): number => Math.min(120, 0.25 * 2 ** (deliveries - 1));

/** One installation: turns wait at its gate, are judged and given hints side by side, and are trained on. */
export class Cluster {
  readonly gate: Station<Turn>;
  readonly judge: Station<Half>;
  readonly teacher: Station<Half>;
  readonly trainer: Trainer;
  private readonly draws: Draws;
  private readonly seconds: GpuSeconds;

  constructor(
    private readonly simulator: Simulator,
    private readonly plan: DayPlan,
  ) {
    const { load, gpu, intervalSeconds, queueSize, seed } = plan;
    this.seconds = gpuSecondsOf(load, gpu);
    // Of their own, so that a judge more changes nothing of what is asked.
    this.draws = {
      fates: seededRandom(seed + 0x1000_0000),
      judge: seededRandom(seed + 0x2000_0000),
      teacher: seededRandom(seed + 0x3000_0000),
      failures: seededRandom(seed + 0x4000_0000),
    };
    this.gate = new Station(simulator, { servers: Infinity, intervalSeconds });
    this.judge = this.pool(plan.judges);
    this.teacher = this.pool(plan.teachers);
    const gated = plan.sharesGpus ? [this.gate, this.judge, this.teacher] : [this.gate];
    this.trainer = new Trainer(simulator, { ...load, queueSize, intervalSeconds }, gated);
  }

  /** A turn comes: its own request, and with it, mostly, what follows the one before. */
  arrive(): void {
    const { load } = this.plan;
    const { fates, judge, teacher } = this.draws;
    const isFollowed = fates() < load.followedShare;
    const isSampled = fates() < load.sampledShare;
    const turn = { seconds: 0, missing: load.asksForHints ? 2 : 1, isSampled };
    this.gate.arrive(turn);
    if (!isFollowed) return;
    this.judge.arrive(this.halfOf(turn, this.seconds.judge * exponential(judge)));
    if (load.asksForHints) this.teacher.arrive(this.halfOf(turn, this.seconds.teacher * exponential(teacher)));
  }

  private pool(gpus: number): Station<Half> {
    const { gpu, intervalSeconds, failingShare } = this.plan;
    return new Station(this.simulator, {
      servers: gpus * gpu.turnsAtOnce,
      intervalSeconds,
      retry: { fails: () => this.draws.failures() < failingShare, delaySeconds: retrySeconds },
      done: (half: Half) => {
        this.complete(half);
      },
    });
  }

  /** A full GPU works on many turns at once, on each of them as much more slowly. */
  private halfOf(turn: Turn, gpuSeconds: number): Half {
    return { turn, seconds: gpuSeconds * this.plan.gpu.turnsAtOnce };
  }

  private complete({ turn }: Half): void {
    turn.missing -= 1;
    if (turn.missing === 0 && turn.isSampled) this.trainer.offer();
  }
}
