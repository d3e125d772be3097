import { Injectable } from '@nestjs/common';
import type { FeedbackGivenInfo, SessionEndedInfo } from '@app/contracts';
import { Settings } from '@app/config';
import { SessionOutcomes } from './session-outcomes';
import { TurnPlaces } from './turn-places';

/** What was said of how sessions went: it counts where rewards are integrated. */
@Injectable()
export class SaidOutcomes {
  constructor(
    private readonly settings: Settings,
    private readonly outcomes: SessionOutcomes,
    private readonly places: TurnPlaces,
  ) {}

  /** The end of a session, with or without an outcome, counts for turns that wait for one. @throws BusUnavailableError */
  async ended(info: SessionEndedInfo): Promise<void> {
    if (!this.settings.reward.integrated) return;
    const now = Date.now();
    const { session, incarnation, outcome, since = 0, endedAt = now, through = endedAt } = info;
    const end = { incarnation, since, through, endedAt, ...(outcome === undefined ? {} : { outcome }) };
    await this.outcomes.apply(session, [{ kind: 'ended', end }]);
  }

  /**
   * A person's outcome, said beside one of the session's turns. Returns whether outcomes count.
   * @throws NotYetError while nobody knows the turn's session, BusUnavailableError
   */
  async said(info: FeedbackGivenInfo, deliveries: number): Promise<boolean> {
    const { feedbackId: by, givenAt: at, outcome } = info;
    if (outcome === undefined || !this.settings.reward.integrated) return false;
    const session = await this.places.sessionOf(info, deliveries);
    if (session !== null) await this.outcomes.apply(session, [{ kind: 'said', by, at, outcome }]);
    return true;
  }
}
