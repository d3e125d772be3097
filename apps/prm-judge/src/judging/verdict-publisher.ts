import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { TurnJudged, type TurnFollowedInfo } from '@app/contracts';
import { Telemetry } from '@app/telemetry';
import type { Judgement } from './judge.service';

const isDisputed = (votes: Judgement['votes']): boolean =>
  new Set(votes.flatMap(({ score }) => (score === null ? [] : [score]))).size > 1;

/** Publishes what became of a followed turn, once: what is there already stands, and is not counted again. */
@Injectable()
export class VerdictPublisher {
  constructor(
    private readonly bus: Bus,
    private readonly telemetry: Telemetry,
  ) {}

  async isJudged(turnId: string): Promise<boolean> {
    return (await this.bus.read(TurnJudged, turnId)) !== null;
  }

  async publish(followed: TurnFollowedInfo, { score, votes, judgeModel, detail }: Judgement): Promise<void> {
    const { turnId, session, nextTurnId, feedbackId } = followed;
    this.telemetry.tracer.note({ 'openclaw_rl.score': score ?? undefined, 'openclaw_rl.not_judged': detail });
    const result = await this.bus.publish(TurnJudged, [turnId], {
      info: {
        turnId,
        session,
        score,
        ...(nextTurnId === undefined ? {} : { nextTurnId }),
        ...(feedbackId === undefined ? {} : { feedbackId }),
        judgedAt: Date.now(),
        votes: votes.map((vote) => vote.score),
      },
      head: { judgeModel, votes, ...(detail === undefined ? {} : { detail }) },
    });
    if (result !== 'stored') return;
    this.telemetry.metrics.turnsJudged.inc({ score: score === null ? 'none' : String(score) });
    if (isDisputed(votes)) this.telemetry.metrics.turnsDisputed.inc();
  }
}
