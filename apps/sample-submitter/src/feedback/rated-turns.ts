import { Inject, Injectable } from '@nestjs/common';
import { Bus, MAX_DELIVERIES, NotYetError } from '@app/bus';
import { Settings } from '@app/config';
import { TurnArrived, TurnCompleted, TurnFollowed, TurnSettled, type FeedbackGivenInfo } from '@app/contracts';
import { TurnPlaces } from '../outcome/turn-places';

const MINUTE_MS = 60_000;
/** How often a rating looks, in the end, for what is long in coming: an answer is still being generated. */
const PAUSE_MS = 5000;

/** What is stored of turns that people have rated, maybe before their answers were. @throws BusUnavailableError */
@Injectable()
export class RatedTurns {
  private readonly answerMs: number;

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'read'>,
    private readonly settings: Settings,
    @Inject(TurnPlaces) private readonly places: Pick<TurnPlaces, 'sessionOf'>,
  ) {
    this.answerMs = settings.session.answerMinutes * MINUTE_MS;
  }

  /**
   * Resolves when the answer is stored, or when there is no more hope that it will be.
   *
   * @param deliveries how often the rating was delivered
   * @throws NotYetError while it may still come
   */
  async whenAnswered(turnId: string, deliveries: number): Promise<void> {
    if ((await this.bus.read(TurnCompleted, turnId)) !== null) return;
    if (deliveries < MAX_DELIVERIES) throw new NotYetError(`turn ${turnId} was rated before its answer was stored`);
    const arrived = await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.answerMs) {
      throw new NotYetError(`turn ${turnId} was rated while it is still being answered`, PAUSE_MS);
    }
  }

  /**
   * Resolves when the words beside a rating, or what came before them, are the turn's next state, or when the turn has an
   * outcome already; and when there is no more hope of either.
   *
   * @param deliveries how often the rating was delivered
   * @throws NotYetError while the session-tracker may still say so
   */
  async whenFollowed({ turnId, givenAt }: FeedbackGivenInfo, deliveries: number): Promise<void> {
    const [followed, settled] = await Promise.all([
      this.bus.read(TurnFollowed, turnId),
      this.bus.read(TurnSettled, turnId),
    ]);
    if (followed !== null || settled !== null) return;
    const early = `words about turn ${turnId} have not become its next state`;
    if (deliveries < MAX_DELIVERIES) throw new NotYetError(early);
    if (Date.now() - givenAt < this.answerMs) throw new NotYetError(early, PAUSE_MS);
  }

  /** The session of a rated turn: the tracker's word where turns wait for its outcome, else what the gateway has guessed. */
  async sessionOf(info: FeedbackGivenInfo, deliveries: number): Promise<string | undefined> {
    if (!this.settings.reward.integrated) return info.session;
    return (await this.places.sessionOf(info, deliveries)) ?? undefined;
  }

  /** Whether a person's score made the outcome: on an earlier delivery, or when the votes came in and it was known. */
  async isSettledBy({ turnId, score, givenAt }: FeedbackGivenInfo): Promise<boolean> {
    const info = (await this.bus.read(TurnSettled, turnId))?.info;
    return info?.source === 'feedback' && info.score === score && info.settledAt >= givenAt;
  }
}
