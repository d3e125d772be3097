import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, type Delivery } from '@app/bus';
import { CONSUMERS, FeedbackGiven, SessionEnded, TurnHinted, TurnJudged } from '@app/contracts';
import { FeedbackHandler } from './feedback/feedback.handler';
import { SaidOutcomes } from './outcome/said-outcomes';
import { HalvesHandler } from './settling/halves.handler';

const SLOTS = 16;

/** Starts the app's work on what judge, teacher and people have said of turns; the bus ends it at shutdown. */
@Injectable()
export class Consumer implements OnApplicationBootstrap {
  constructor(
    private readonly bus: Bus,
    private readonly halves: HalvesHandler,
    private readonly feedback: FeedbackHandler,
    private readonly outcomes: SaidOutcomes,
  ) {}

  onApplicationBootstrap(): void {
    this.bus.consume({
      consumer: CONSUMERS.submitter,
      slots: SLOTS,
      handle: (delivery) => this.handle(delivery),
      settleDead: (delivery) => this.settleDead(delivery),
    });
  }

  private async handle(delivery: Delivery): Promise<void> {
    const { subject } = delivery;
    if (TurnJudged.matches(subject)) await this.halves.judged(delivery);
    else if (TurnHinted.matches(subject)) await this.halves.hinted(delivery);
    else if (FeedbackGiven.matches(subject)) await this.feedback.handle(delivery);
    else if (SessionEnded.matches(subject)) await this.outcomes.ended(SessionEnded.decodeInfo(delivery));
  }

  private async settleDead(delivery: Delivery): Promise<void> {
    // A rating that nobody could read decides nothing: its turn is judged by the votes.
    const isHalf = TurnJudged.matches(delivery.subject) || TurnHinted.matches(delivery.subject);
    if (isHalf) await this.halves.settleDead(delivery);
  }
}
