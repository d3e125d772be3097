import { Injectable } from '@nestjs/common';
import { Bus, type Delivery } from '@app/bus';
import {
  FeedbackGiven,
  rootSessionKey,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnHinted,
  TurnJudged,
  TurnSettled,
  type TurnHintedInfo,
  type TurnJudgedInfo,
} from '@app/contracts';
import type { NextState, RecordParts } from './record';

/** Gathers what is stored about a settled turn. */
@Injectable()
export class RecordSources {
  constructor(private readonly bus: Bus) {}

  /** @throws BusUnavailableError, MessageShapeError */
  async gather(delivery: Delivery): Promise<RecordParts> {
    const settled = TurnSettled.decodeInfo(delivery);
    const { turnId } = settled;
    const [turn, judgement, hinted, followed] = await Promise.all([
      this.bus.read(TurnCompleted, turnId),
      this.bus.read(TurnJudged, turnId),
      this.bus.read(TurnHinted, turnId),
      this.bus.read(TurnFollowed, turnId),
    ]);
    const session =
      settled.session ??
      followed?.info.session ??
      turn?.info.namedSession ??
      turn?.info.runtimeSession ??
      rootSessionKey(turnId);
    const nextState = await this.nextState(judgement?.info ?? hinted?.info ?? null);
    return { session, settled, turn, judgement, hinted, nextState };
  }

  private async nextState(source: TurnJudgedInfo | TurnHintedInfo | null): Promise<NextState | null> {
    if (source === null) return null;
    const { turnId, nextTurnId, feedbackId } = source;
    if (nextTurnId !== undefined) {
      const next = await this.bus.read(TurnArrived, nextTurnId);
      return next === null ? null : { source: 'request', turnId: nextTurnId, messages: next.body.head.nextState };
    }
    if (feedbackId === undefined) return null;
    const feedback = await this.bus.read(FeedbackGiven, turnId, feedbackId);
    return feedback === null ? null : { source: 'feedback', feedbackId, text: feedback.body.head.text ?? null };
  }
}
