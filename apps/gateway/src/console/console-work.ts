import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { TurnArrived } from '@app/contracts';
import { OpenAiError } from '../errors/openai-error';
import { answerOf, type FeedbackAnswer } from '../feedback/feedback-answer';
import { FeedbackDto } from '../feedback/feedback.dto';
import { FeedbackService } from '../feedback/feedback.service';
import { SessionsService, type Erased } from '../sessions/sessions.service';
import type { RatingDto } from '../feedback/rating.dto';

/** What an operator does to turns and sessions of any caller. */
@Injectable()
export class ConsoleWork {
  constructor(
    private readonly bus: Bus,
    private readonly feedback: FeedbackService,
    private readonly sessions: SessionsService,
  ) {}

  /** Rates a turn as the caller whose it is would. @throws OpenAiError 400, 404; BusUnavailableError */
  async rate(turnId: string, rating: RatingDto): Promise<FeedbackAnswer> {
    const turn = await this.bus.read(TurnArrived, turnId);
    if (turn === null) throw new OpenAiError(404, 'not_found', 'id: nothing is kept of a turn of this id');
    const feedback = Object.assign(new FeedbackDto(), rating, { turn_id: turnId });
    return answerOf(await this.feedback.give(turn.info.scope, feedback));
  }

  /** @throws BusUnavailableError, OpenAiError 404, 503 */
  async erase(session: string): Promise<Erased> {
    const erased = await this.sessions.eraseKey(session);
    if (erased.messages + erased.records > 0) return erased;
    throw new OpenAiError(404, 'not_found', 'id: nothing is kept of a session of this key');
  }
}
