import { Injectable } from '@nestjs/common';
import { Bus, MessageTooLargeError } from '@app/bus';
import { TurnHinted, TurnSettled, type FrameArrays, type NoHintReason, type TurnFollowedInfo } from '@app/contracts';
import type { Scores } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import type { HintDecision } from './hint-votes.service';

/** Everything that was found out about a followed turn. */
export interface HintResult {
  readonly judgeModel: string;
  readonly decision: HintDecision;
  /** The hint as it was given to the teacher; null where it came to none. */
  readonly hint: string | null;
  readonly teacherModel: string | null;
  readonly scores: Scores | null;
  /** Why there are no scores. */
  readonly reason: NoHintReason | null;
  readonly detail?: string;
}

const arraysOf = (scores: Scores | null): FrameArrays => {
  if (scores === null) return {};
  const { logProbs, top } = scores;
  if (top === null) return { teacherLogProbs: logProbs };
  return { teacherLogProbs: logProbs, topLogProbs: top.logProbs, topIds: top.ids, topPresent: top.present };
};

/** Publishes what became of a followed turn, once: what is there already stands, and is not counted again. */
@Injectable()
export class HintPublisher {
  constructor(
    private readonly bus: Bus,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Whether nothing is left to be found out about a turn. On a first delivery nobody has hinted it, but it may have its outcome:
   * a method that is switched on finds turns that were settled without it.
   */
  async isDone(turnId: string, deliveries: number): Promise<boolean> {
    const [hinted, settled] = await Promise.all([
      deliveries > 1 ? this.bus.read(TurnHinted, turnId) : null,
      this.bus.read(TurnSettled, turnId),
    ]);
    return hinted !== null || settled !== null;
  }

  async publish(followed: TurnFollowedInfo, result: HintResult): Promise<void> {
    try {
      await this.publishResult(followed, result);
    } catch (error) {
      if (!(error instanceof MessageTooLargeError)) throw error;
      await this.publishResult(followed, { ...result, scores: null, reason: 'turn_too_large', detail: error.message });
    }
  }

  private async publishResult(followed: TurnFollowedInfo, result: HintResult): Promise<void> {
    const { turnId, session, nextTurnId, feedbackId } = followed;
    const { decision, reason, detail } = result;
    this.telemetry.tracer.note({ 'openclaw_rl.hint': reason ?? 'hinted' });
    const stored = await this.bus.publish(TurnHinted, [turnId], {
      info: {
        turnId,
        session,
        ...(reason === null ? {} : { reason }),
        ...(nextTurnId === undefined ? {} : { nextTurnId }),
        ...(feedbackId === undefined ? {} : { feedbackId }),
        hintedAt: Date.now(),
      },
      head: {
        judgeModel: result.judgeModel,
        votes: decision.votes,
        selected: decision.selected,
        hint: result.hint,
        teacherModel: result.teacherModel,
        ...(detail === undefined ? {} : { detail }),
      },
      arrays: arraysOf(result.scores),
    });
    if (stored === 'stored') this.telemetry.metrics.turnsHinted.inc({ result: reason ?? 'hinted' });
  }
}
