import { Inject, Injectable } from '@nestjs/common';
import { Bus, MAX_DELIVERIES, NotYetError } from '@app/bus';
import { Settings } from '@app/config';
import { TurnArrived, TurnCompleted, type TurnCompletedInfo, type TurnPlace } from '@app/contracts';
import { Places } from '../turns/places';
import { TurnNotCompletedError } from './errors';

/** How often the end of an answer is looked for that is still being given. */
const ANSWER_PAUSE_MS = 5000;

/** What gateways have said of the turns that people comment on, and where those belong. */
@Injectable()
export class StoredTurns {
  private readonly answerMs: number;

  constructor(
    settings: Settings,
    @Inject(Bus) private readonly bus: Pick<Bus, 'read'>,
    @Inject(Places) private readonly places: Pick<Places, 'known' | 'of'>,
  ) {
    this.answerMs = settings.session.answerMinutes * 60_000;
  }

  /** The turn's place, decided here if its own events have not been handled yet; null for a turn that nobody knows. */
  async placeOf(turnId: string): Promise<TurnPlace | null> {
    const known = await this.places.known(turnId);
    if (known !== null) return known;
    const turn = (await this.bus.read(TurnCompleted, turnId)) ?? (await this.bus.read(TurnArrived, turnId));
    return turn === null ? null : this.places.of(turn.info);
  }

  /**
   * The turn with its answer.
   *
   * @param deliveries how often the message was delivered that needs it
   * @throws NotYetError while the answer may still come, else TurnNotCompletedError
   */
  async completed(turnId: string, deliveries: number): Promise<TurnCompletedInfo> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    if (turn !== null) return turn.info;
    if (deliveries < MAX_DELIVERIES) throw new NotYetError(`turn ${turnId} has feedback and is not stored yet`);
    const arrived = await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.answerMs) {
      throw new NotYetError(`turn ${turnId} has feedback while it is still being answered`, ANSWER_PAUSE_MS);
    }
    throw new TurnNotCompletedError(turnId);
  }
}
