import { Injectable } from '@nestjs/common';
import type { Delivery } from '@app/bus';
import { Settings } from '@app/config';
import { FeedbackGiven, type TurnPlace } from '@app/contracts';
import { Outcomes } from '../outcomes/outcomes';
import { Sessions } from '../sessions/sessions';
import { unjudgedReason } from '../turns/kind';
import { StoredTurns } from './stored-turns';

/**
 * Handles people's feedback: a text that comes before any reply is the next state, a score makes one needless. Of both at once
 * the text is still what hints are made from, where the method asks for hints; a score that trains nothing is as none.
 */
@Injectable()
export class FeedbackHandler {
  constructor(
    private readonly settings: Settings,
    private readonly turns: StoredTurns,
    private readonly sessions: Sessions,
    private readonly outcomes: Outcomes,
  ) {}

  async handle(event: Delivery): Promise<void> {
    const { turnId, score, hasText } = FeedbackGiven.decodeInfo(event);
    const { usesScores, asksTeacher } = this.settings.rl;
    const isScored = score !== undefined && usesScores;
    const isWorded = hasText && (score === undefined || asksTeacher);
    if (!isScored && !isWorded) return;
    const place = await this.turns.placeOf(turnId);
    if (place !== null && isScored) await this.sessions.release(place.session, [turnId]);
    if (!isWorded) return;
    const isUsed = place !== null && (await this.followByText(event, place));
    if (isUsed) await this.sessions.release(place.session, [turnId]);
    this.outcomes.noteText(isUsed);
  }

  /** Returns whether this text is the turn's next state. */
  private async followByText(event: Delivery, place: TurnPlace): Promise<boolean> {
    const { turnId, feedbackId } = FeedbackGiven.decodeInfo(event);
    if (await this.outcomes.isSettled(turnId)) return this.outcomes.isFollowedBy(turnId, feedbackId);
    const turn = await this.turns.completed(turnId, event.deliveries);
    if (unjudgedReason(place.main, turn.exclusion) !== null) return false;
    await this.outcomes.follow({ turnId, session: place.session, role: 'user', feedbackId });
    return this.outcomes.isFollowedBy(turnId, feedbackId);
  }
}
