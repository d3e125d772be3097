import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { TurnFollowed, TurnHinted, TurnJudged } from '@app/contracts';
import { Settings } from '@app/config';
import { FeedbackIndex } from '../follow/feedback-index';
import { readHindsight } from './hindsight';
import type { Findings, Verdict } from './settle';

export type Judged = ReturnType<(typeof TurnJudged)['decode']>;
export type Hinted = ReturnType<(typeof TurnHinted)['decode']>;

/** What is known of a turn whose halves are all there. */
export interface Known extends Findings {
  readonly session: string | undefined;
}

/** Reads what judge, teacher and people have said of turns. @throws BusUnavailableError */
@Injectable()
export class TurnFindings {
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly feedback: FeedbackIndex,
  ) {}

  /** The judge's half, if the method asks for it. */
  readJudged(turnId: string): Promise<Judged | null> {
    return this.settings.rl.asksJudge ? this.bus.read(TurnJudged, turnId) : Promise.resolve(null);
  }

  /** The teacher's half, if the method asks for it. */
  readHinted(turnId: string): Promise<Hinted | null> {
    return this.settings.rl.asksTeacher ? this.bus.read(TurnHinted, turnId) : Promise.resolve(null);
  }

  /** Whether the teacher's half of a turn is still to come. */
  async isTeacherAtWork(turnId: string, hinted: Hinted | null): Promise<boolean> {
    if (!this.settings.rl.asksTeacher || hinted !== null) return false;
    return (await this.bus.read(TurnFollowed, turnId)) !== null;
  }

  /**
   * Both halves together; null while one that the method asks for is missing. A person's score stands in for the judge's.
   * Both are stored before either is delivered, so that whichever is worked on later finds the other.
   */
  async join(turnId: string, judged: Judged | null, hinted: Hinted | null): Promise<Known | null> {
    const { asksJudge, asksTeacher } = this.settings.rl;
    if (asksTeacher && hinted === null) return null;
    const word = await this.feedback.scoreOf(turnId);
    if (asksJudge && judged === null && word === null) return null;
    return knownOf(judged, hinted, word);
  }

  /** What there is of a turn that was complete once; null: its teacher has begun since. */
  async gather(turnId: string): Promise<Known | null> {
    const [judged, hinted] = await Promise.all([this.readJudged(turnId), this.readHinted(turnId)]);
    if (await this.isTeacherAtWork(turnId, hinted)) return null;
    return knownOf(judged, hinted, await this.feedback.scoreOf(turnId));
  }
}

const knownOf = (judged: Judged | null, hinted: Hinted | null, word: Verdict['score']): Known => ({
  session: judged?.info.session ?? hinted?.info.session,
  verdict: word === null ? verdictOf(judged) : { score: word, source: 'feedback' },
  hindsight: hinted === null ? null : readHindsight(hinted.info, hinted.body),
});

const verdictOf = (judged: Judged | null): Verdict | null =>
  judged === null
    ? null
    : { score: judged.info.score, source: 'votes', votes: judged.body.head.votes.map((vote) => vote.score) };
