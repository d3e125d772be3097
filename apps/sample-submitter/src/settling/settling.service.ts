import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { Bus, MAX_DELIVERIES, OutageError, type Delivery } from '@app/bus';
import {
  CONSUMERS,
  FeedbackGiven,
  SessionEnded,
  TurnArrived,
  TurnCompleted,
  TurnHinted,
  TurnJudged,
  TurnSettled,
} from '@app/contracts';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { SessionOutcomes } from '../outcome/session-outcomes';
import { TurnPlaces } from '../outcome/turn-places';
import { readHindsight } from './hindsight';
import { needsOutcome } from './settle';
import { Settler } from './settler';
import { TurnFindings, type Known } from './turn-findings';
import { TurnNotCompletedError } from './turn-not-completed.error';

const SLOTS = 16;
const MINUTE_MS = 60_000;
/** How often a rating looks for the end of an answer that is still being generated. */
const ANSWER_PAUSE_MS = 5000;

/** Makes the one outcome of each turn, a sample or a reason, from what judge, teacher and people have said of it. */
@Injectable()
export class SettlingService implements OnApplicationBootstrap {
  // eslint-disable-next-line max-params -- Nest hands these in by their types
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly findings: TurnFindings,
    private readonly settler: Settler,
    private readonly outcomes: SessionOutcomes,
    private readonly places: TurnPlaces,
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
    else if (SessionEnded.matches(delivery.subject)) await this.ended(delivery);
  }

  private async judged(delivery: Delivery): Promise<void> {
    const judged = TurnJudged.decode(delivery);
    const { turnId } = judged.info;
    const known = await this.findings.join(turnId, judged, await this.findings.readHinted(turnId));
    if (known !== null) await this.settle(turnId, known);
  }

  private async hinted(delivery: Delivery): Promise<void> {
    const hinted = TurnHinted.decode(delivery);
    const { turnId } = hinted.info;
    const known = await this.findings.join(turnId, await this.findings.readJudged(turnId), hinted);
    if (known !== null) await this.settle(turnId, known);
  }

  /** The end of a session, with or without an outcome, counts for turns that wait for one. */
  private async ended(delivery: Delivery): Promise<void> {
    if (!this.settings.reward.integrated) return;
    const now = Date.now();
    const info = SessionEnded.decodeInfo(delivery);
    const { session, incarnation, outcome, since = 0, endedAt = now, through = endedAt } = info;
    await this.outcomes.apply(session, [{ kind: 'ended', incarnation, since, through, endedAt, outcome }]);
  }

  private async rated(delivery: Delivery): Promise<void> {
    const info = FeedbackGiven.decodeInfo(delivery);
    const { turnId, feedbackId: by, givenAt: at, score, outcome } = info;
    const { rl, reward } = this.settings;
    const countsOutcome = outcome !== undefined && reward.integrated;
    if (countsOutcome) {
      const session = await this.places.sessionOf(info, delivery.deliveries);
      if (session !== null) await this.outcomes.apply(session, [{ kind: 'said', by, at, outcome }]);
    }
    const { feedback } = this.telemetry.metrics;
    if (score === undefined) {
      // Words are the next state or nothing: the session-tracker knows.
      if (outcome !== undefined) feedback.inc({ fate: countsOutcome ? 'outcome' : 'unused' });
      return;
    }
    // Hints alone train: a score says nothing of how the answer should have been.
    if (rl.algorithm === 'opd') feedback.inc({ fate: 'unused' });
    else feedback.inc({ fate: await this.useScore(delivery, turnId, score) });
  }

  private async useScore(delivery: Delivery, turnId: string, score: Score): Promise<'used' | 'late' | 'waiting'> {
    const info = FeedbackGiven.decodeInfo(delivery);
    const isCompleted = (await this.bus.read(TurnCompleted, turnId)) !== null;
    if (!isCompleted) await this.waitForAnswer(turnId, delivery.deliveries);
    const hinted = await this.findings.readHinted(turnId);
    // The teacher is at it: its half will find the score.
    if (await this.findings.isTeacherAtWork(turnId, hinted)) return 'waiting';
    const { reward } = this.settings;
    const session = reward.integrated ? await this.places.sessionOf(info, delivery.deliveries) : info.session;
    const hindsight = hinted === null ? null : readHindsight(hinted.info, hinted.body);
    const known = { session: session ?? undefined, verdict: { score, source: 'feedback' as const }, hindsight };
    const fate = await this.settle(turnId, known);
    return fate !== 'used' && (await this.isSettledBy(turnId, score)) ? 'used' : fate;
  }

  /** Makes the turn's outcome, or lets it wait for its session's. `late`: it has one already. */
  private async settle(turnId: string, known: Known): Promise<'used' | 'late' | 'waiting'> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    const { reward } = this.settings;
    const integrated = reward.integrated ? reward : null;
    const session = known.session ?? turn?.info.namedSession;
    if (turn === null || session === undefined || !needsOutcome(turn.info.exclusion, known.verdict, { integrated })) {
      return (await this.settler.settle(turnId, turn, known)) ? 'used' : 'late';
    }
    // Delivered once more: it must not wait again.
    if ((await this.bus.read(TurnSettled, turnId)) !== null) return 'late';
    await this.outcomes.apply(session, [{ kind: 'waits', turnId, arrivedAt: turn.info.arrivedAt }]);
    return 'waiting';
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
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.settings.session.answerMinutes * MINUTE_MS) {
      throw new OutageError(`turn ${turnId} was rated while it is still being answered`, ANSWER_PAUSE_MS);
    }
  }

  private async settleDead(delivery: Delivery): Promise<void> {
    // A rating that nobody could read decides nothing: its turn is judged by the votes.
    if (!TurnJudged.matches(delivery.subject) && !TurnHinted.matches(delivery.subject)) return;
    await this.settler.settleDead(delivery.subject.split('.').at(-1) ?? '');
  }
}
