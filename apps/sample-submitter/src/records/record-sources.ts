import { Injectable } from '@nestjs/common';
import { Bus, type Delivery } from '@app/bus';
import {
  FeedbackGiven,
  rootSessionKey,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnJudged,
  TurnSettled,
} from '@app/contracts';
import type { Judgement, NextState, RecordParts } from './record';

/** Gathers what is stored about a settled turn. */
@Injectable()
export class RecordSources {
  constructor(private readonly bus: Bus) {}

  /** @throws BusUnavailableError, MessageShapeError */
  async gather(delivery: Delivery): Promise<RecordParts> {
    const settled = TurnSettled.decodeInfo(delivery);
    const { turnId } = settled;
    const [turn, judgement, followed] = await Promise.all([
      this.bus.read(TurnCompleted, turnId),
      this.bus.read(TurnJudged, turnId),
      this.bus.read(TurnFollowed, turnId),
    ]);
    const session =
      settled.session ??
      followed?.info.session ??
      turn?.info.namedSession ??
      turn?.info.runtimeSession ??
      rootSessionKey(turnId);
    return { session, settled, turn, judgement, nextState: await this.nextState(judgement) };
  }

  private async nextState(judgement: Judgement | null): Promise<NextState | null> {
    if (judgement === null) return null;
    const { turnId, nextTurnId, feedbackId } = judgement.info;
    if (nextTurnId !== undefined) {
      const next = await this.bus.read(TurnArrived, nextTurnId);
      return next === null ? null : { source: 'request', turnId: nextTurnId, messages: next.body.head.nextState };
    }
    if (feedbackId === undefined) return null;
    const feedback = await this.bus.read(FeedbackGiven, turnId, feedbackId);
    return feedback === null ? null : { source: 'feedback', feedbackId, text: feedback.body.head.text ?? null };
  }
}
