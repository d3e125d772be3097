import { Injectable } from '@nestjs/common';
import { Bus, MessageTooLargeError } from '@app/bus';
import { rootSessionKey, TurnCompleted, TurnSettled, type SettleReason } from '@app/contracts';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import type { DueTurn } from '../outcome/outcome-state';
import { QueueBound } from './queue-bound';
import { settleTurn, signalOf, type Outcome } from './settle';
import { settledMessage, type Settled } from './settled-message';
import { TurnFindings, type Known } from './turn-findings';

export type CompletedTurn = ReturnType<(typeof TurnCompleted)['decode']>;

/** Publishes the one outcome of a turn. Its message is the guard: a second one is refused. */
@Injectable()
export class Settler {
  // eslint-disable-next-line max-params -- Nest hands these in by their types
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly queue: QueueBound,
    private readonly findings: TurnFindings,
    private readonly telemetry: Telemetry,
  ) {}

  /** Whether this call made the turn's outcome; false: it had one already. `turn` null: it is no longer stored. */
  async settle(turnId: string, turn: CompletedTurn | null, known: Known): Promise<boolean> {
    const session = known.session ?? turn?.info.namedSession;
    const { rl, reward } = this.settings;
    const { algorithm, binaryRewardWeight, opdWeight, evalMode } = rl;
    const integrated = reward.integrated ? reward : null;
    const training = { algorithm, binaryRewardWeight, opdWeight, evalMode, integrated };
    const outcome: Outcome =
      turn === null
        ? { kind: 'reason', reason: 'turn_lost' }
        : settleTurn({ session: session ?? rootSessionKey(turnId), ...turn }, known, training);
    const policyVersion = turn?.body.head.policyVersion.start;
    const { verdict, sessionOutcome } = known;
    const settled = { turnId, session, outcome, verdict, sessionOutcome, policyVersion, settledAt: Date.now() };
    return outcome.kind === 'sample' ? this.publishSample(settled) : this.publish(settled);
  }

  /** Settles a turn that waits no longer for its session's outcome. */
  async settleWaiting(session: string, { turnId, outcome }: DueTurn): Promise<void> {
    const known = await this.findings.gather(turnId);
    // The teacher's half will find the outcome, and the turn waits for nothing else then.
    if (known === null) return;
    const isLost = known.verdict === null && known.hindsight === null;
    const turn = isLost ? null : await this.bus.read(TurnCompleted, turnId);
    await this.settle(turnId, turn, { ...known, session, sessionOutcome: outcome });
  }

  /** Settles a turn that a message was about which nobody could work on. */
  async settleDead(turnId: string): Promise<void> {
    await this.publish({
      turnId,
      session: undefined,
      outcome: { kind: 'reason', reason: 'dead_letter' },
      verdict: null,
      policyVersion: undefined,
      settledAt: Date.now(),
    });
  }

  private async publishSample(settled: Settled): Promise<boolean> {
    if (!(await this.queue.admit(settled.turnId))) return this.publish(withReason(settled, 'queue_full'));
    let isStored = false;
    try {
      isStored = await this.publish(settled);
      return isStored;
    } catch (error) {
      if (error instanceof MessageTooLargeError) return await this.publish(withReason(settled, 'turn_too_large'));
      throw error;
    } finally {
      if (!isStored) this.queue.release(settled.turnId);
    }
  }

  private async publish(settled: Settled): Promise<boolean> {
    const isStored = (await this.bus.publish(TurnSettled, [settled.turnId], settledMessage(settled))) === 'stored';
    const { outcome } = settled;
    if (isStored) {
      const { samples, turnsSettled } = this.telemetry.metrics;
      turnsSettled.inc({ outcome: outcome.kind === 'sample' ? 'sample' : outcome.reason });
      if (outcome.kind === 'sample') samples.inc({ signal: signalOf(outcome.sample) });
    }
    return isStored;
  }
}

const withReason = (settled: Settled, reason: SettleReason): Settled => ({
  ...settled,
  outcome: { kind: 'reason', reason },
});
