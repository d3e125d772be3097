import { Injectable } from '@nestjs/common';
import { Bus, OutageError, type Delivery } from '@app/bus';
import { FeedbackGiven, rootSessionKey, TurnCompleted, TurnFollowed, TurnSettled } from '@app/contracts';
import { TurnPlaces } from '../outcome/turn-places';
import { isLate, toFeedbackRecord } from './feedback-record';
import { LineWriter } from './line-writer';

const PAUSE_MS = 500;
/** Deliveries until it is taken for certain that nobody else was faster. */
const DELIVERIES_TO_WAIT = 5;

/** Writes the record of one feedback, once it is known whether it came in time. */
@Injectable()
export class FeedbackRecorder {
  constructor(
    private readonly bus: Bus,
    private readonly places: TurnPlaces,
    private readonly lines: LineWriter,
  ) {}

  /** @throws OutageError while nothing has become of the turn, or the disk takes nothing. */
  async write(delivery: Delivery): Promise<void> {
    const { info, body } = FeedbackGiven.decode(delivery);
    const { turnId, feedbackId } = info;
    const [followed, settled, turn, place] = await Promise.all([
      this.bus.read(TurnFollowed, turnId),
      this.bus.read(TurnSettled, turnId),
      this.bus.read(TurnCompleted, turnId),
      this.places.find(turnId),
    ]);
    const said = { info, followed: followed?.info ?? null, settled: settled?.info ?? null };
    if (said.settled === null && !isLate(said) && delivery.deliveries <= DELIVERIES_TO_WAIT) {
      throw new OutageError(`turn ${turnId} has no outcome yet`, PAUSE_MS);
    }
    const session = said.settled?.session ?? said.followed?.session ?? place ?? info.session ?? rootSessionKey(turnId);
    await this.lines.write({
      policyVersion: said.settled?.policyVersion ?? turn?.info.policyVersion ?? 0,
      session,
      id: feedbackId,
      record: toFeedbackRecord({ ...said, session, text: body.head.text ?? null }),
    });
  }
}
