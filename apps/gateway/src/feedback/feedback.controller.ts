import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { bodyOf, parseBody, scopeOfRequest, type GatewayRequest } from '../http/gateway-request';
import { answerOf, type FeedbackAnswer } from './feedback-answer';
import { FeedbackDto } from './feedback.dto';
import { FeedbackService } from './feedback.service';

/** `POST /v1/feedback`. */
@Controller('v1/feedback')
export class FeedbackController {
  constructor(private readonly feedback: FeedbackService) {}

  @Post()
  @HttpCode(202)
  async give(@Req() request: GatewayRequest): Promise<FeedbackAnswer> {
    return answerOf(await this.feedback.give(scopeOfRequest(request), parseBody(FeedbackDto, bodyOf(request))));
  }
}
