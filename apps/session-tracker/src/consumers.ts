import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { CONSUMERS } from '@app/contracts';
import { FeedbackHandler } from './feedback/feedback.handler';
import { TurnHandler } from './turns/turn.handler';

const TURN_SLOTS = 32;
const FEEDBACK_SLOTS = 8;

/** Starts the app's work; the bus ends it at shutdown. */
@Injectable()
export class Consumers implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly turns: TurnHandler,
    private readonly feedback: FeedbackHandler,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.consume({
      consumer: CONSUMERS.trackerTurns,
      slots: TURN_SLOTS,
      handle: (delivery) => this.turns.handle(delivery),
      settleDead: (delivery) => this.turns.settleDead(delivery),
    });
    this.bus.consume({
      consumer: CONSUMERS.trackerFeedback,
      slots: FEEDBACK_SLOTS,
      handle: (delivery) => this.feedback.handle(delivery),
    });
  }
}
