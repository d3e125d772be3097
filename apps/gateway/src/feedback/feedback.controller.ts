import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { bodyOf, parseBody, scopeOfRequest, type GatewayRequest } from '../http/gateway-request';
import { FeedbackDto } from './feedback.dto';
import { FeedbackService } from './feedback.service';

/** `accepted`: it counts; `kept`: it is stored, and changes nothing of what is trained on, for this reason. */
type FeedbackAnswer = { feedback_id: string; turn_id: string } & (
  { status: 'accepted' } | { status: 'kept'; reason: string }
);

/** `POST /v1/feedback`. */
@Controller('v1/feedback')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Post()
  @HttpCode(202)
  async give(@Req() request: GatewayRequest): Promise<FeedbackAnswer> {
    const given = await this.feedback.give(scopeOfRequest(request), parseBody(FeedbackDto, bodyOf(request)));
    const { feedbackId: feedback_id, turnId: turn_id, onlyKept: reason } = given;
    return reason === null
      ? { feedback_id, turn_id, status: 'accepted' }
      : { feedback_id, turn_id, status: 'kept', reason };
  }
}
