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

  /** @throws NotYetError while the turn, or what its words are to it, may still come; BusUnavailableError */
  async use(rating: Rating, deliveries: number): Promise<Fate | 'unused'> {
    const { usesScores, asksTeacher } = this.settings.rl;
    if (!usesScores) return 'unused';
    const { turnId, score, hasText } = rating;
    await this.turns.whenAnswered(turnId, deliveries);
    if (hasText && asksTeacher) await this.turns.whenFollowed(rating, deliveries);
    const hinted = await this.findings.readHinted(turnId);
    // The teacher is at it: its half will find the score.
    if (await this.findings.isTeacherAtWork(turnId, hinted)) return 'waiting';
    const session = await this.turns.sessionOf(rating, deliveries);
    const hindsight = hinted === null ? null : readHindsight(hinted.info, hinted.body);
    const fate = await this.settling.settle(turnId, { session, verdict: { score, source: 'feedback' }, hindsight });
    return fate !== 'used' && (await this.turns.isSettledBy(rating)) ? 'used' : fate;
  }
}
