import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { Bus, MAX_DELIVERIES, MessageTooLargeError, OutageError, type Delivery } from '@app/bus';
import {
  CONSUMERS,
  FeedbackGiven,
  rootSessionKey,
  TurnArrived,
  TurnCompleted,
  TurnJudged,
  TurnSettled,
  type SettleReason,
} from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import { FeedbackIndex } from '../follow/feedback-index';
import { QueueBound } from './queue-bound';
import { settleTurn, type Outcome, type Verdict } from './settle';
import { settledMessage, type Settled } from './settled-message';
import { TurnNotCompletedError } from './turn-not-completed.error';

const SLOTS = 16;
/** An answer that is still being generated: how long a rating waits for it, and how often it looks. */
const LONGEST_ANSWER_MS = 30 * 60_000;
const ANSWER_PAUSE_MS = 5000;

/** Makes the one outcome of each turn, a sample or a reason, from the judge's verdict or a person's. */
@Injectable()
export class SettlingService implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly feedback: FeedbackIndex,
    private readonly queue: QueueBound,
    private readonly telemetry: Telemetry,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.consume({
      consumer: CONSUMERS.submitter,
      slots: SLOTS,
      handle: (delivery) => this.handle(delivery),
      settleDead: (delivery) => this.settleDead(delivery),
    });
  }

  private async handle(delivery: Delivery): Promise<void> {
    if (TurnJudged.matches(delivery.subject)) await this.judged(delivery);
    else if (FeedbackGiven.matches(delivery.subject)) await this.rated(delivery);
    // Everything else on this stream, ends of sessions for instance, decides nothing with binary rewards.
  }

  private async judged(delivery: Delivery): Promise<void> {
    const { info, body } = TurnJudged.decode(delivery);
    const word = await this.feedback.scoreOf(info.turnId);
    const verdict: Verdict =
      word === null
        ? { score: info.score, source: 'votes', votes: body.head.votes.map((vote) => vote.score) }
        : { score: word, source: 'feedback' };
    await this.settle(info.turnId, info.session, verdict);
  }

  private async rated(delivery: Delivery): Promise<void> {
    const { turnId, session, score } = FeedbackGiven.decodeInfo(delivery);
    if (score === undefined) {
      this.telemetry.metrics.feedback.inc({ fate: 'text' });
      return;
    }
    if ((await this.bus.read(TurnCompleted, turnId)) === null) await this.waitForAnswer(turnId, delivery.deliveries);
    const isUsed = await this.settle(turnId, session, { score, source: 'feedback' });
    this.telemetry.metrics.feedback.inc({ fate: isUsed || (await this.isSettledBy(turnId, score)) ? 'used' : 'late' });
  }

  /** Whether a person's score made the outcome: on an earlier delivery, or when the votes came in and it was known. */
  private async isSettledBy(turnId: string, score: Score): Promise<boolean> {
    const info = (await this.bus.read(TurnSettled, turnId))?.info;
    return info?.source === 'feedback' && info.score === score;
  }

  /** Returns when there is no more hope that the turn will be stored. @throws TurnNotCompletedError, OutageError */
  private async waitForAnswer(turnId: string, deliveries: number): Promise<void> {
    if (deliveries < MAX_DELIVERIES) throw new TurnNotCompletedError(turnId);
    const arrived = await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < LONGEST_ANSWER_MS) {
      throw new OutageError(`turn ${turnId} was rated while it is still being answered`, ANSWER_PAUSE_MS);
    }
  }

  /** Whether this call made the turn's outcome; false: it had one already. */
  private async settle(turnId: string, knownSession: string | undefined, verdict: Verdict): Promise<boolean> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    const session = knownSession ?? turn?.info.namedSession;
    const outcome: Outcome =
      turn === null
        ? { kind: 'reason', reason: 'turn_lost' }
        : settleTurn({ session: session ?? rootSessionKey(turnId), ...turn }, verdict);
    const policyVersion = turn?.body.head.policyVersion.start;
    const settled: Settled = { turnId, session, outcome, verdict, policyVersion, settledAt: Date.now() };
    return outcome.kind === 'sample' ? this.publishSample(settled) : this.publish(settled);
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
      this.telemetry.metrics.turnsSettled.inc({ outcome: outcome.kind === 'sample' ? 'sample' : outcome.reason });
    }
    return isStored;
  }

  private async settleDead(delivery: Delivery): Promise<void> {
    // A rating that nobody could read decides nothing: its turn is judged by the votes.
    if (!TurnJudged.matches(delivery.subject)) return;
    const turnId = delivery.subject.split('.').at(-1) ?? '';
    await this.publish({
      turnId,
      session: undefined,
      outcome: { kind: 'reason', reason: 'dead_letter' },
      verdict: null,
      policyVersion: undefined,
      settledAt: Date.now(),
    });
  }
}

const withReason = (settled: Settled, reason: SettleReason): Settled => ({
  ...settled,
  outcome: { kind: 'reason', reason },
});
