import { Injectable } from '@nestjs/common';
import { isDecided, majorityVote, type Score } from '@app/advantage';
import { Settings } from '@app/config';
import type { Vote } from '@app/contracts';
import { verdictQuestion, Voter, type FollowedTurn, type Motion, type Poll, type PollOptions } from '@app/voting';

/** `score` null is "not judged", for the reason in `detail`. */
export interface Judgement {
  readonly score: Score | null;
  readonly votes: Vote[];
  readonly judgeModel: string;
  readonly detail?: NonNullable<Poll<Score>['failure']>;
}

/** Judges one turn by a vote. Knows neither where turns come from nor where verdicts go. */
@Injectable()
export class JudgeService {
  constructor(
    private readonly voter: Voter,
    private readonly settings: Settings,
  ) {}

  /** @throws OutageError if so few votes could be asked for that they decide nothing: the turn has to be judged later */
  async judge(turn: FollowedTurn, options: PollOptions): Promise<Judgement> {
    const { votes, failure } = await this.voter.poll(this.motionOn(turn), options);
    const judgement = {
      score: failure === null ? majorityVote(votes.map((vote) => vote.answer)) : null,
      votes: votes.map(({ answer, text, millis }) => ({ score: answer, text, millis })),
      judgeModel: this.voter.model,
    };
    return failure === null ? judgement : { ...judgement, detail: failure };
  }

  private motionOn(turn: FollowedTurn): Motion<Score> {
    const { judge, reward } = this.settings;
    return {
      ...verdictQuestion(turn),
      // A mean is made of all votes.
      isDecided: (scores) => (reward.integrated ? scores.length >= judge.votes : isDecided(scores, judge.votes)),
      resultOf: String,
    };
  }
}
