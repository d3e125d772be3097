import { Injectable } from '@nestjs/common';
import type { Delivery } from '@app/bus';
import { FeedbackGiven, type TurnPlace } from '@app/contracts';
import { Outcomes } from '../outcomes/outcomes';
import { Sessions } from '../sessions/sessions';
import { unjudgedReason } from '../turns/kind';
import { Places } from '../turns/places';
import { StoredTurns } from './stored-turns';

/** Handles people's feedback: a text that comes before any reply is the next state, a score makes one needless. */
@Injectable()
export class FeedbackHandler {
  constructor(
    private readonly turns: StoredTurns,
    private readonly places: Places,
    private readonly sessions: Sessions,
    private readonly outcomes: Outcomes,
  ) {}

  async handle(event: Delivery): Promise<void> {
    const { turnId, score, hasText } = FeedbackGiven.decodeInfo(event);
    if (score === undefined && !hasText) return;
    const place = await this.placeOf(turnId);
    if (place !== null && score !== undefined) await this.sessions.release(place.session, [turnId]);
    if (score !== undefined) return;
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

  /** The turn's place, decided here if its own events have not been handled yet; null for a turn that nobody knows. */
  private async placeOf(turnId: string): Promise<TurnPlace | null> {
    const known = await this.places.known(turnId);
    if (known !== null) return known;
    const turn = await this.turns.find(turnId);
    return turn === null ? null : this.places.of(turn);
  }
}
