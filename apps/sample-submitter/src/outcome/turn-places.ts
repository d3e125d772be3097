import { Injectable } from '@nestjs/common';
import { Bus, MAX_DELIVERIES, NotYetError, QueuedDocuments, type DocumentStore } from '@app/bus';
import { BUCKETS, parseTurnPlace, turnPlaceKey, type FeedbackGivenInfo, type TurnPlace } from '@app/contracts';

/** Where the session-tracker has put turns. */
@Injectable()
export class TurnPlaces {
  private readonly places: DocumentStore<TurnPlace>;

  constructor(bus: Bus) {
    this.places = new QueuedDocuments(() => bus.documents(BUCKETS.sessions, parseTurnPlace));
  }

  /**
   * The session of the turn that a feedback is about; in the end what the gateway has guessed; null: nobody knows one.
   * @throws NotYetError, BusUnavailableError
   */
  async sessionOf({ turnId, session }: FeedbackGivenInfo, deliveries: number): Promise<string | null> {
    const known = await this.find(turnId);
    if (known !== null) return known;
    if (deliveries < MAX_DELIVERIES) throw new NotYetError(`turn ${turnId} has feedback, and no session yet`);
    return session ?? null;
  }

  /** The turn's session, or null while nobody knows it. @throws BusUnavailableError */
  async find(turnId: string): Promise<string | null> {
    return (await this.places.get(turnPlaceKey(turnId)))?.value.session ?? null;
  }
}
