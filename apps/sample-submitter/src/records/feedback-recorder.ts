import { Injectable } from '@nestjs/common';
import { Bus, NotYetError, type Delivery } from '@app/bus';
import {
  FeedbackGiven,
  rootSessionKey,
  TurnArrived,
  TurnCompleted,
  TurnFollowed,
  TurnSettled,
  type TurnFollowedInfo,
} from '@app/contracts';
import { TurnPlaces } from '../outcome/turn-places';
import { toFeedbackRecord } from './feedback-record';
import { LineWriter } from './line-writer';

const PAUSE_MS = 500;
/** Deliveries that wait for the turn's session; then what the gateway has guessed is written down. */
const DELIVERIES_TO_WAIT = 5;

/** Writes the record of one feedback, with what had become of its turn when it was given. */
@Injectable()
export class FeedbackRecorder {
  constructor(
    private readonly bus: Bus,
    private readonly places: TurnPlaces,
    private readonly lines: LineWriter,
  ) {}

  /** @throws NotYetError while nobody knows the turn's session; OutageError where the disk takes nothing. */
  async write(delivery: Delivery): Promise<void> {
    const { info, body } = FeedbackGiven.decode(delivery);
    const { turnId, feedbackId } = info;
    const [followed, settled, turn, place] = await Promise.all([
      this.bus.read(TurnFollowed, turnId),
      this.bus.read(TurnSettled, turnId),
      this.bus.read(TurnCompleted, turnId),
      this.places.find(turnId),
    ]);
    const known = settled?.info.session ?? followed?.info.session ?? place;
    if (known === null && delivery.deliveries <= DELIVERIES_TO_WAIT) {
      throw new NotYetError(`turn ${turnId} has no session yet`, PAUSE_MS);
    }
    const session = known ?? info.session ?? rootSessionKey(turnId);
    const begun = turn ?? (await this.bus.read(TurnArrived, turnId));
    const settledAt = settled?.info.settledAt ?? null;
    const nextStateAt = followed === null ? null : await this.nextStateAt(followed.info);
    await this.lines.write({
      policyVersion: settled?.info.policyVersion ?? begun?.info.policyVersion ?? 0,
      session,
      id: feedbackId,
      record: toFeedbackRecord({ session, info, text: body.head.text ?? null, settledAt, nextStateAt }),
    });
  }

  /** When a turn's next state came; null: it is no longer stored. */
  private async nextStateAt({ turnId, nextTurnId, feedbackId }: TurnFollowedInfo): Promise<number | null> {
    if (nextTurnId !== undefined) return (await this.bus.read(TurnArrived, nextTurnId))?.info.arrivedAt ?? null;
    if (feedbackId === undefined) return null;
    return (await this.bus.read(FeedbackGiven, turnId, feedbackId))?.info.givenAt ?? null;
  }
}
