import { Inject, Injectable } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { Bus, MAX_DELIVERIES, OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { TurnArrived, TurnCompleted, TurnSettled, type FeedbackGivenInfo } from '@app/contracts';
import { TurnPlaces } from '../outcome/turn-places';
import { TurnNotCompletedError } from './turn-not-completed.error';

const MINUTE_MS = 60_000;
/** How often a rating looks for the end of an answer that is still being generated. */
const ANSWER_PAUSE_MS = 5000;

/** What is stored of turns that people have rated, maybe before their answers were. @throws BusUnavailableError */
@Injectable()
export class RatedTurns {
  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'read'>,
    private readonly settings: Settings,
    @Inject(TurnPlaces) private readonly places: Pick<TurnPlaces, 'sessionOf'>,
  ) {}

  /**
   * Resolves when the answer is stored, or when there is no more hope that it will be.
   *
   * @param deliveries how often the rating was delivered
   * @throws OutageError while the turn may still be being answered, else TurnNotCompletedError
   */
  async whenAnswered(turnId: string, deliveries: number): Promise<void> {
    if ((await this.bus.read(TurnCompleted, turnId)) !== null) return;
    if (deliveries < MAX_DELIVERIES) throw new TurnNotCompletedError(turnId);
    const arrived = await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.settings.session.answerMinutes * MINUTE_MS) {
      throw new OutageError(`turn ${turnId} was rated while it is still being answered`, ANSWER_PAUSE_MS);
    }
  }

  /** The session of a rated turn: the tracker's word where turns wait for its outcome, else what the gateway has guessed. */
  async sessionOf(info: FeedbackGivenInfo, deliveries: number): Promise<string | undefined> {
    if (!this.settings.reward.integrated) return info.session;
    return (await this.places.sessionOf(info, deliveries)) ?? undefined;
  }

  /** Whether a person's score made the outcome: on an earlier delivery, or when the votes came in and it was known. */
  async isSettledBy(turnId: string, score: Score): Promise<boolean> {
    const info = (await this.bus.read(TurnSettled, turnId))?.info;
    return info?.source === 'feedback' && info.score === score;
  }
}
