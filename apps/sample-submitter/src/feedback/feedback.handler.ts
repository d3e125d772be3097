import { Injectable } from '@nestjs/common';
import type { Delivery } from '@app/bus';
import { FeedbackGiven } from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import { SaidOutcomes } from '../outcome/said-outcomes';
import { ScoresService } from './scores.service';

/** Handles what people have said: an outcome is of a session, a score of a turn, and words are the session-tracker's. */
@Injectable()
export class FeedbackHandler {
  constructor(
    private readonly outcomes: SaidOutcomes,
    private readonly scores: ScoresService,
    private readonly telemetry: Telemetry,
  ) {}

  async handle(delivery: Delivery): Promise<void> {
    const info = FeedbackGiven.decodeInfo(delivery);
    const { score, outcome } = info;
    const countsOutcome = await this.outcomes.said(info, delivery.deliveries);
    const { feedback } = this.telemetry.metrics;
    if (score !== undefined) feedback.inc({ fate: await this.scores.use({ ...info, score }, delivery.deliveries) });
    else if (outcome !== undefined) feedback.inc({ fate: countsOutcome ? 'outcome' : 'unused' });
  }
}
