import { Inject, Injectable } from '@nestjs/common';
import { Bus, MAX_DELIVERIES, OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { TurnArrived, TurnCompleted, type TurnCompletedInfo, type TurnInfo } from '@app/contracts';
import { TurnNotCompletedError } from './errors';

/** How often the end of an answer is looked for that is still being given. */
const ANSWER_PAUSE_MS = 5000;

/** What gateways have said of turns. */
@Injectable()
export class StoredTurns {
  private readonly answerMs: number;

  constructor(
    settings: Settings,
    @Inject(Bus) private readonly bus: Pick<Bus, 'read'>,
  ) {
    this.answerMs = settings.session.answerMinutes * 60_000;
  }

  /** null for a turn that nobody knows. */
  async find(turnId: string): Promise<TurnInfo | null> {
    return ((await this.bus.read(TurnCompleted, turnId)) ?? (await this.bus.read(TurnArrived, turnId)))?.info ?? null;
  }

  /**
   * The turn with its answer.
   *
   * @param deliveries how often the message was delivered that needs it
   * @throws OutageError while the turn may still be being answered, else TurnNotCompletedError
   */
  async completed(turnId: string, deliveries: number): Promise<TurnCompletedInfo> {
    const turn = await this.bus.read(TurnCompleted, turnId);
    if (turn !== null) return turn.info;
    const arrived = deliveries < MAX_DELIVERIES ? null : await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.answerMs) {
      throw new OutageError(`turn ${turnId} has feedback while it is still being answered`, ANSWER_PAUSE_MS);
    }
    throw new TurnNotCompletedError(turnId);
  }
}
