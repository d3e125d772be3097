import { setTimeout as pause } from 'node:timers/promises';
import { NO_TRACER, type Tracer } from '@app/tracing';
import { DoorError, type CommittedWeights, type DoorClient, type Lease } from '../door/door-client';
import { Phases } from './phases';
import type { TrainerBackend, TrainingMetrics } from './trainer-backend';

/** Leases are extended so many times in their time. */
const EXTENDS_PER_LEASE = 3;

const LONGEST_REASON = 200;

/** Thrown where other weights serve by now than those that were trained on. */
export class OtherWeightsError extends Error {
  override readonly name = 'OtherWeightsError';

  constructor(trained: number, serving: number) {
    super(
      `trained from policy version ${trained}, and version ${serving} serves by now: the batch is trained again from there`,
    );
  }
}

interface NewWeights {
  readonly metrics: TrainingMetrics;
  readonly weights: CommittedWeights;
}

export interface LoopOptions {
  /** Samples of one batch. */
  readonly batchSize: number;
  /** Batches of one weight update. */
  readonly batchesPerUpdate: number;
  readonly leaseMs: number;
  /** How long the gate holds without a word of this trainer. */
  readonly gateLeaseMs: number;
  /** How long one request for a batch waits at the door. */
  readonly waitMs: number;
  /** Pause after a failure. */
  readonly againMs: number;
  /** Engines have to give way while it trains: the update begins before the training. */
  readonly sharesGpus: boolean;
  readonly tracer?: Pick<Tracer, 'span' | 'link'>;
  readonly onRound: (...round: ['trained', TrainingMetrics] | ['failed', unknown]) => void;
  /** The door has no batch to hand out: it waits, and nothing is wrong. */
  readonly onIdle: () => void;
}

/** The part of the door that training needs. */
export type TrainingDoor = Pick<
  DoorClient,
  | 'lease'
  | 'acknowledge'
  | 'giveBack'
  | 'extend'
  | 'beginUpdate'
  | 'extendUpdate'
  | 'commitUpdate'
  | 'abortUpdate'
  | 'reportAnswers'
>;

/**
 * Leases batches, trains on them, puts the new weights in; for ever. What was not committed is given back, and a lease that
 * could not be given back ends by itself: nothing is lost, whenever this process dies.
 */
export class TrainLoop {
  constructor(
    private readonly door: TrainingDoor,
    private readonly backend: TrainerBackend,
    private readonly options: LoopOptions,
  ) {}

  /** Runs until the signal is aborted; a round under way is finished. */
  async run(signal: AbortSignal): Promise<void> {
    let isPrepared = false;
    while (!signal.aborted) {
      try {
        const isFirst = !isPrepared;
        if (isFirst) await this.backend.prepare();
        isPrepared = true;
        const metrics = await this.round(signal, isFirst ? 0 : this.options.waitMs);
        if (metrics !== null) this.options.onRound('trained', metrics);
      } catch (error) {
        isPrepared = false;
        if (isAborted(signal)) return;
        this.options.onRound('failed', error);
        await pause(this.options.againMs, undefined, { signal }).catch(() => undefined);
      }
    }
  }

  /**
   * One weight update: what was found while training; null if the signal came before its batches did.
   *
   * @param firstWaitMs how long its first request waits at the door: not at all while nobody knows whether all is well
   */
  private async round(signal: AbortSignal, firstWaitMs: number): Promise<TrainingMetrics | null> {
    const phases = new Phases(() => performance.now());
    const leases: Lease[] = [];
    const stop = this.keepAlive(
      () => leases.map(({ id }) => this.door.extend(id, this.options.leaseMs)),
      this.options.leaseMs,
    );
    try {
      await phases.time('wait', () => this.collect(leases, signal, firstWaitMs));
      if (leases.length < this.options.batchesPerUpdate) {
        await this.giveBack(leases);
        return null;
      }
      const { tracer = NO_TRACER } = this.options;
      const metrics = await tracer.span('train', { parent: null }, () => {
        for (const { samples } of leases) tracer.link(samples.map(({ metadata }) => metadata.turn_id));
        return this.trainAndPublish(leases, phases);
      });
      return { ...metrics, ...phases.numbers };
    } catch (error) {
      await this.giveBack(leases);
      throw error;
    } finally {
      stop();
    }
  }

  /** Leases the batches of an update, as far as the signal lets it. */
  private async collect(leases: Lease[], signal: AbortSignal, firstWaitMs: number): Promise<void> {
    let waitMs = firstWaitMs;
    while (leases.length < this.options.batchesPerUpdate) {
      const { batchSize: count, leaseMs } = this.options;
      const lease = await this.door.lease({ count, waitMs, leaseMs }, signal);
      if (isAborted(signal)) return;
      if (lease === null) this.options.onIdle();
      else leases.push(lease);
      waitMs = this.options.waitMs;
    }
  }

  private async trainAndPublish(leases: readonly Lease[], phases: Phases): Promise<TrainingMetrics> {
    const { publish } = this.backend;
    if (publish === null) {
      const metrics = await this.trainOn(leases);
      for (const { id } of leases) await this.door.acknowledge(id);
      return metrics;
    }
    const work = async (): Promise<NewWeights> => ({
      metrics: await this.trainOn(leases),
      weights: await phases.time('publish', () => publish.call(this.backend)),
    });
    if (this.options.sharesGpus) return phases.time('update', () => this.update(leases, work));
    const done = await work();
    return phases.time('update', () => this.update(leases, () => Promise.resolve(done)));
  }

  private async trainOn(leases: readonly Lease[]): Promise<TrainingMetrics> {
    let metrics: TrainingMetrics = {};
    for (const { samples } of leases) metrics = await this.backend.train(samples);
    return metrics;
  }

  /** Closes the gate around the work that needs it closed, and opens it with the new weights. */
  private async update(leases: readonly Lease[], work: () => Promise<NewWeights>): Promise<TrainingMetrics> {
    const { gateLeaseMs } = this.options;
    const ids = leases.map(({ id }) => id);
    const { token, version } = await this.door.beginUpdate(ids, gateLeaseMs);
    const stop = this.keepAlive(() => [this.door.extendUpdate(token, gateLeaseMs)], gateLeaseMs);
    try {
      const { baseVersion } = this.backend;
      if (baseVersion !== null && version !== baseVersion + 1) throw new OtherWeightsError(baseVersion, version - 1);
      const { metrics, weights } = await work();
      await this.door.commitUpdate(token, weights, metrics);
      const answers = this.backend.published(version);
      // The weights serve, whether their answers can be told or not.
      if (answers !== null) await ignoreRefusal(this.door.reportAnswers(version, answers));
      return metrics;
    } catch (error) {
      const reason = error instanceof Error ? error.message.slice(0, LONGEST_REASON) : 'unknown error';
      await ignoreRefusal(this.door.abortUpdate(token, reason));
      throw error;
    } finally {
      stop();
    }
  }

  private async giveBack(leases: readonly Lease[]): Promise<void> {
    for (const { id } of leases) await ignoreRefusal(this.door.giveBack(id));
  }

  private keepAlive(extend: () => readonly Promise<void>[], leaseMs: number): () => void {
    const timer = setInterval(() => {
      for (const each of extend()) void ignoreRefusal(each);
    }, leaseMs / EXTENDS_PER_LEASE);
    return () => {
      clearInterval(timer);
    };
  }
}

/** Asked anew after every wait. */
const isAborted = (signal: AbortSignal): boolean => signal.aborted;

/** What cannot be said to the door ends by itself. */
const ignoreRefusal = async (call: Promise<void>): Promise<void> => {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof DoorError)) throw error;
  }
};
