import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { Bus, MAX_DELIVERIES, MessageTooLargeError, OutageError, type Delivery } from '@app/bus';
import {
  CONSUMERS,
  FeedbackGiven,
  rootSessionKey,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type SettleReason,
} from '@app/contracts';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { FeedbackIndex } from '../follow/feedback-index';
import { QueueBound } from './queue-bound';
import { readHindsight } from './hindsight';
import { settleTurn, signalOf, type Findings, type Outcome, type Verdict } from './settle';
import { settledMessage, type Settled } from './settled-message';
import { TurnNotCompletedError } from './turn-not-completed.error';

type Judged = ReturnType<(typeof TurnJudged)['decode']>;
type Hinted = ReturnType<(typeof TurnHinted)['decode']>;

const SLOTS = 16;
/** An answer that is still being generated: how long a rating waits for it, and how often it looks. */
const LONGEST_ANSWER_MS = 30 * 60_000;
const ANSWER_PAUSE_MS = 5000;

/** What is known of a turn whose halves are all there. */
interface Known extends Findings {
  readonly session: string | undefined;
}

/** Makes the one outcome of each turn, a sample or a reason, from what judge, teacher and people have said of it. */
@Injectable()
export class SettlingService implements OnApplicationBootstrap {
  // eslint-disable-next-line max-params -- Nest hands these in by their types
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
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
    else if (TurnHinted.matches(delivery.subject)) await this.hinted(delivery);
    else if (FeedbackGiven.matches(delivery.subject)) await this.rated(delivery);
    // Everything else on this stream, ends of sessions for instance, decides nothing.
  }

  private async judged(delivery: Delivery): Promise<void> {
    const judged = TurnJudged.decode(delivery);
    await this.join(judged.info.turnId, judged, await this.readHinted(judged.info.turnId));
  }

  private async hinted(delivery: Delivery): Promise<void> {
    const hinted = TurnHinted.decode(delivery);
    await this.join(hinted.info.turnId, await this.readJudged(hinted.info.turnId), hinted);
  }

  /**
   * Settles a turn of which both halves are there. Both are stored before either is delivered, so that whichever is worked on
   * later finds the other; the message's own guard keeps the outcome one.
   */
  private async join(turnId: string, judged: Judged | null, hinted: Hinted | null): Promise<void> {
    const { asksJudge, asksTeacher } = this.settings.rl;
    if (asksTeacher && hinted === null) return;
    const word = await this.feedback.scoreOf(turnId);
    if (asksJudge && judged === null && word === null) return;
    await this.settle(turnId, {
      session: judged?.info.session ?? hinted?.info.session,
      verdict: word === null ? verdictOf(judged) : { score: word, source: 'feedback' },
      hindsight: hinted === null ? null : readHindsight(hinted.info, hinted.body),
    });
  }

  /** The other half, if the method asks for it. */
  private readJudged(turnId: string): Promise<Judged | null> {
    return this.settings.rl.asksJudge ? this.bus.read(TurnJudged, turnId) : Promise.resolve(null);
  }

  private readHinted(turnId: string): Promise<Hinted | null> {
    return this.settings.rl.asksTeacher ? this.bus.read(TurnHinted, turnId) : Promise.resolve(null);
  }

  private async rated(delivery: Delivery): Promise<void> {
    const { turnId, session, score } = FeedbackGiven.decodeInfo(delivery);
    const { metrics } = this.telemetry;
    if (score === undefined) {
      metrics.feedback.inc({ fate: 'text' });
      return;
    }
    const { rl } = this.settings;
    if (rl.algorithm === 'opd') {
      // Hints alone train: a score says nothing of how the answer should have been.
      metrics.feedback.inc({ fate: 'unused' });
      return;
    }
    if ((await this.bus.read(TurnCompleted, turnId)) === null) await this.waitForAnswer(turnId, delivery.deliveries);
    const hinted = await this.readHinted(turnId);
    if (rl.asksTeacher && hinted === null && (await this.bus.read(TurnFollowed, turnId)) !== null) {
      // The teacher is at it: its half will find the score.
      metrics.feedback.inc({ fate: 'waiting' });
      return;
    }
    const hindsight = hinted === null ? null : readHindsight(hinted.info, hinted.body);
    const isUsed = await this.settle(turnId, { session, verdict: { score, source: 'feedback' }, hindsight });
    metrics.feedback.inc({ fate: isUsed || (await this.isSettledBy(turnId, score)) ? 'used' : 'late' });
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
  private async settle(turnId: string, known: Known): Promise<boolean> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    const session = known.session ?? turn?.info.namedSession;
    const outcome: Outcome =
      turn === null
        ? { kind: 'reason', reason: 'turn_lost' }
        : settleTurn({ session: session ?? rootSessionKey(turnId), ...turn }, known, this.settings.rl);
    const policyVersion = turn?.body.head.policyVersion.start;
    const { verdict } = known;
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
      const { samples, turnsSettled } = this.telemetry.metrics;
      turnsSettled.inc({ outcome: outcome.kind === 'sample' ? 'sample' : outcome.reason });
      if (outcome.kind === 'sample') samples.inc({ signal: signalOf(outcome.sample) });
    }
    return isStored;
  }

  private async settleDead(delivery: Delivery): Promise<void> {
    // A rating that nobody could read decides nothing: its turn is judged by the votes.
    if (!TurnJudged.matches(delivery.subject) && !TurnHinted.matches(delivery.subject)) return;
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

const verdictOf = (judged: Judged | null): Verdict | null =>
  judged === null
    ? null
    : { score: judged.info.score, source: 'votes', votes: judged.body.head.votes.map((vote) => vote.score) };

const withReason = (settled: Settled, reason: SettleReason): Settled => ({
  ...settled,
  outcome: { kind: 'reason', reason },
});
