import { Injectable } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { Settings } from '@app/config';
import type { FeedbackGivenInfo } from '@app/contracts';
import { readHindsight } from '../settling/hindsight';
import { SettlingService, type Fate } from '../settling/settling.service';
import { TurnFindings } from '../settling/turn-findings';
import { RatedTurns } from './rated-turns';

/** A person's score of a turn. */
export type Rating = FeedbackGivenInfo & { readonly score: Score };

/** Settles turns by what people have said of them: a score stands in for the judge's. */
@Injectable()
export class ScoresService {
  constructor(
    private readonly settings: Settings,
    private readonly turns: RatedTurns,
    private readonly findings: TurnFindings,
    private readonly settling: SettlingService,
  ) {}

  /** @throws TurnNotCompletedError, TurnNotPlacedError, OutageError while the turn may still come; BusUnavailableError */
  async use(rating: Rating, deliveries: number): Promise<Fate | 'unused'> {
    // Hints alone train: a score says nothing of how the answer should have been.
    if (this.settings.rl.algorithm === 'opd') return 'unused';
    const { turnId, score } = rating;
    await this.turns.whenAnswered(turnId, deliveries);
    const hinted = await this.findings.readHinted(turnId);
    // The teacher is at it: its half will find the score.
    if (await this.findings.isTeacherAtWork(turnId, hinted)) return 'waiting';
    const session = await this.turns.sessionOf(rating, deliveries);
    const hindsight = hinted === null ? null : readHindsight(hinted.info, hinted.body);
    const fate = await this.settling.settle(turnId, { session, verdict: { score, source: 'feedback' }, hindsight });
    return fate !== 'used' && (await this.turns.isSettledBy(turnId, score)) ? 'used' : fate;
  }
}
