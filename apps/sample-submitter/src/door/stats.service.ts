import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Settings } from '@app/config';
import { countLeasable, isGateClosed, leasedSequences, type PolicyState } from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { SampleIndex } from '../follow/sample-index';
import { Policy } from '../policy/policy';

/** How far things are, for trainers and people. */
export interface Stats {
  readonly policy_version: number;
  readonly gate: { readonly state: string; readonly closed: boolean };
  /** Samples that a lease could get now. */
  readonly waiting: number;
  readonly leased: number;
  /** Samples that trainers have acknowledged. */
  readonly done: number;
  readonly batch: { readonly size: number; readonly waiting: number; readonly text: string };
  /** Turns by what has become of them, `sample` or the reason why none: those that are stored, erased ones no more. */
  readonly outcomes: Readonly<Record<string, number>>;
  /** Samples by what they train on: `reward`, `teacher` or `both`. */
  readonly signals: Readonly<Record<string, number>>;
  readonly queue_size: number;
}

const GAUGE_EVERY_MS = 1000;

@Injectable()
export class StatsService implements OnApplicationBootstrap, OnModuleDestroy {
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly settings: Settings,
    private readonly index: SampleIndex,
    private readonly policy: Policy,
    private readonly telemetry: Telemetry,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => {
      this.gauge();
    }, GAUGE_EVERY_MS).unref();
  }

  onModuleDestroy(): void {
    clearInterval(this.timer);
  }

  /** @throws BusUnavailableError */
  async read(): Promise<Stats> {
    await this.index.refresh();
    const state = await this.policy.store.read();
    const now = this.policy.store.now();
    const waiting = this.countWaiting(state, now);
    const leased = leasedSequences(state, now).length;
    const size = this.settings.rl.rolloutSteps;
    return {
      policy_version: state.version,
      gate: { state: state.gate.state, closed: isGateClosed(state, now) },
      waiting,
      leased,
      done: state.acknowledged,
      batch: { size, waiting: Math.min(waiting, size), text: `${Math.min(waiting, size)} of ${size}` },
      outcomes: this.index.counts,
      signals: this.index.signalCounts,
      queue_size: this.settings.slime.queueSize,
    };
  }

  private countWaiting(state: PolicyState, now: number): number {
    return countLeasable(state, this.index.view, { now, maxStaleness: this.settings.rl.maxStaleness });
  }

  private gauge(): void {
    const now = this.policy.store.now();
    const { samplesWaiting, samplesLeased, samplesAcknowledged, samplesStale, policyVersion } = this.telemetry.metrics;
    samplesWaiting.set(this.countWaiting(this.policy.current, now));
    samplesLeased.set(leasedSequences(this.policy.current, now).length);
    samplesAcknowledged.set(this.policy.current.acknowledged);
    samplesStale.set(this.policy.current.stale ?? 0);
    policyVersion.set(this.policy.current.version);
  }
}
