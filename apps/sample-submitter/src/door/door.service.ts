import { randomUUID } from 'node:crypto';
import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Settings } from '@app/config';
import {
  ackLease,
  dropSamples,
  expandRanges,
  extendLease,
  nackLease,
  nextExpiry,
  takeLease,
  type Change,
  type LeaseAnswer,
  type OnLease,
  type PolicyState,
  type TakenLease,
} from '@app/pools';
import type { SampleJson } from '@app/sample';
import { SampleIndex } from '../follow/sample-index';
import { Policy } from '../policy/policy';
import { SampleReader } from './sample-reader';
import { sleepUntil, Wake } from './wake';

/** Longest time between two looks of a lease that waits, in milliseconds. */
const LOOK_EVERY_MS = 5000;

/** A request for a lease, with every default filled in. */
export interface WantedLease {
  readonly requestId: string;
  /** Identity of the trainer. */
  readonly trainer: string;
  /** What it wrote it wants, in one text. */
  readonly asked: string;
  readonly max: number;
  readonly min: number;
  readonly leaseMs: number;
  readonly waitMs: number;
}

/** A lease, or none. `expires_at`: server's clock, milliseconds since 1970. */
export interface LeaseReply {
  readonly lease_id: string | null;
  readonly expires_at: number | null;
  readonly policy_version: number;
  readonly samples: readonly SampleJson[];
}

const nothing = (version: number): LeaseReply => ({
  lease_id: null,
  expires_at: null,
  policy_version: version,
  samples: [],
});

/** Leases of samples, for any number of trainers and replicas: all that lasts is in the policy state. */
@Injectable()
export class DoorService implements OnModuleDestroy {
  private readonly wake = new Wake();
  private readonly closing = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly index: SampleIndex,
    private readonly policy: Policy,
    private readonly reader: SampleReader,
  ) {
    index.onSettled(({ kind }) => {
      if (kind === 'sample') this.wake.notify();
    });
    policy.onChange((state) => {
      index.forgetFinished(state);
      this.wake.notify();
    });
  }

  onModuleDestroy(): void {
    this.closing.abort();
  }

  /**
   * Leases the oldest waiting samples. Waits until `max` are there or the time is over; then, with fewer than `min`, there is
   * no lease. @throws LeaseError, BusUnavailableError
   */
  async lease(wanted: WantedLease, client: AbortSignal): Promise<LeaseReply> {
    const signal = AbortSignal.any([client, this.closing.signal]);
    const end = Date.now() + wanted.waitMs;
    const leaseId = randomUUID();
    for (;;) {
      const change = this.wake.next();
      await this.index.refresh();
      if (signal.aborted) return nothing(this.policy.current.version);
      const left = end - Date.now();
      const least = left > 0 ? wanted.max : wanted.min;
      const { answer, version, lookAgainIn } = await this.policy.store.change((state, now) =>
        this.tryLease(state, now, { ...wanted, leaseId, min: least }),
      );
      if (answer !== null) return this.reply(answer);
      if (left <= 0) return nothing(version);
      await sleepUntil(change, Math.min(left, lookAgainIn), signal);
    }
  }

  /** Its samples have been trained on. @throws LeaseError, BusUnavailableError */
  acknowledge(request: OnLease): Promise<LeaseAnswer> {
    return this.policy.store.change((state) => ackLease(state, request, this.index.view));
  }

  /** Its samples wait again. @throws LeaseError, BusUnavailableError */
  giveBack(request: OnLease): Promise<LeaseAnswer> {
    return this.policy.store.change((state) => nackLease(state, request));
  }

  /** @throws LeaseError, BusUnavailableError */
  extend(request: OnLease & { readonly leaseMs: number }): Promise<LeaseAnswer> {
    return this.policy.store.change((state, now) => extendLease(state, request, now));
  }

  private tryLease(
    state: PolicyState,
    now: number,
    request: Omit<WantedLease, 'waitMs'> & { readonly leaseId: string },
  ): Change<{ answer: TakenLease | null; version: number; lookAgainIn: number }> {
    const { slime, rl } = this.settings;
    const context = { now, view: this.index.view, maxTrainers: slime.numWorkers, maxStaleness: rl.maxStaleness };
    const { state: next, result: answer } = takeLease(state, request, context);
    const lookAgainIn = Math.min(LOOK_EVERY_MS, (nextExpiry(state, now) ?? Infinity) - now);
    return { state: next, result: { answer, version: state.version, lookAgainIn } };
  }

  private async reply(answer: TakenLease): Promise<LeaseReply> {
    const { samples, gone } = await this.reader.read(expandRanges(answer.sequences));
    if (gone.length > 0) {
      const { view } = this.index;
      await this.policy.store.change((state) => ({ state: dropSamples(state, gone, view), result: undefined }));
    }
    return {
      lease_id: samples.length === 0 ? null : answer.leaseId,
      expires_at: samples.length === 0 ? null : (answer.expiresAt ?? null),
      policy_version: answer.version,
      samples,
    };
  }
}
