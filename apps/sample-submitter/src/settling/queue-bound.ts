import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import { countLeasable } from '@app/pools';
import { SampleIndex } from '../follow/sample-index';
import { Policy } from '../policy/policy';

/**
 * The bound of waiting samples (`slime.queue_size`). When it is reached the newest sample is refused: its turn is settled
 * as `queue_full`, and the chat goes on. Several replicas may overshoot by what each has under way at that moment.
 */
@Injectable()
export class QueueBound {
  /** Turns let in whose samples this replica has not yet seen in the stream. */
  private readonly underWay = new Set<string>();

  constructor(
    private readonly settings: Settings,
    private readonly index: SampleIndex,
    private readonly policy: Policy,
  ) {
    index.onSettled(({ turnId }) => this.underWay.delete(turnId));
  }

  /** Takes a place for a turn's sample. False: the queue is full. @throws BusUnavailableError */
  async admit(turnId: string): Promise<boolean> {
    await this.index.whenStarted();
    if (this.isFull()) await this.index.refresh();
    if (this.isFull()) return false;
    this.underWay.add(turnId);
    return true;
  }

  /** Gives the place back: the sample was not stored. */
  release(turnId: string): void {
    this.underWay.delete(turnId);
  }

  private isFull(): boolean {
    const { rl, slime } = this.settings;
    const { view } = this.index;
    const places = slime.queueSize - this.underWay.size;
    // More than all of them cannot wait: they are counted only where it may matter.
    if (view.samples.length < places) return false;
    const moment = { now: this.policy.store.now(), maxStaleness: rl.maxStaleness };
    return countLeasable(this.policy.current, view, moment) >= places;
  }
}
