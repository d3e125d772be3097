import { Injectable } from '@nestjs/common';
import { Bus, MessageTooLargeError } from '@app/bus';
import { TurnSettled, type SettleReason } from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import { QueueBound } from './queue-bound';
import { signalOf } from './settle';
import { settledMessage, type Settled } from './settled-message';

/**
 * Publishes the one outcome of a turn; a sample only where the queue has room for it. The message is the guard: a second one is
 * refused, and not counted.
 */
@Injectable()
export class SettledPublisher {
  constructor(
    private readonly bus: Bus,
    private readonly queue: QueueBound,
    private readonly telemetry: Telemetry,
  ) {}

  /** Whether this call made the turn's outcome; false: it had one already. @throws BusUnavailableError */
  async publish(settled: Settled): Promise<boolean> {
    if (settled.outcome.kind === 'reason') return this.store(settled);
    if (!(await this.queue.admit(settled.turnId))) return this.store(withReason(settled, 'queue_full'));
    let isStored = false;
    try {
      isStored = await this.store(settled);
      return isStored;
    } catch (error) {
      if (error instanceof MessageTooLargeError) return await this.store(withReason(settled, 'turn_too_large'));
      throw error;
    } finally {
      if (!isStored) this.queue.release(settled.turnId);
    }
  }

  private async store(settled: Settled): Promise<boolean> {
    const { turnId, outcome } = settled;
    const word = outcome.kind === 'sample' ? 'sample' : outcome.reason;
    const span = { turn: turnId, attributes: { 'openclaw_rl.outcome': word } };
    const publish = () => this.bus.publish(TurnSettled, [turnId], settledMessage(settled));
    const isStored = (await this.telemetry.tracer.span('settle turn', span, publish)) === 'stored';
    if (isStored) {
      const { samples, turnsSettled } = this.telemetry.metrics;
      turnsSettled.inc({ outcome: word });
      if (outcome.kind === 'sample') samples.inc({ signal: signalOf(outcome.sample) });
    }
    return isStored;
  }
}

const withReason = (settled: Settled, reason: SettleReason): Settled => ({
  ...settled,
  outcome: { kind: 'reason', reason },
});
