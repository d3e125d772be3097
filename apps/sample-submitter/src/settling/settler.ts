import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { rootSessionKey, TurnCompleted } from '@app/contracts';
import { Settings } from '@app/config';
import type { DueTurn } from '../outcome/outcome-state';
import { settleTurn, type Outcome } from './settle';
import { SettledPublisher } from './settled-publisher';
import { TurnFindings, type Known } from './turn-findings';

export type CompletedTurn = ReturnType<(typeof TurnCompleted)['decode']>;

/** Decides what becomes of a turn, by the method that is set, and has it published. */
@Injectable()
export class Settler {
  constructor(
    private readonly bus: Bus,
    private readonly settings: Settings,
    private readonly findings: TurnFindings,
    private readonly publisher: SettledPublisher,
  ) {}

  /** Whether this call made the turn's outcome; false: it had one already. `turn` null: it is no longer stored. */
  async settle(turnId: string, turn: CompletedTurn | null, known: Known): Promise<boolean> {
    const session = known.session ?? turn?.info.namedSession;
    const { rl, reward } = this.settings;
    const { heartbeatPrompts } = this.settings.session;
    const { algorithm, binaryRewardWeight, opdWeight, evalMode } = rl;
    const integrated = reward.integrated ? reward : null;
    const training = { algorithm, binaryRewardWeight, opdWeight, evalMode, integrated, heartbeatPrompts };
    const outcome: Outcome =
      turn === null
        ? { kind: 'reason', reason: 'turn_lost' }
        : settleTurn({ session: session ?? rootSessionKey(turnId), ...turn }, known, training);
    const policyVersion = turn?.body.head.policyVersion.start;
    const { verdict, sessionOutcome } = known;
    const settled = { turnId, session, outcome, verdict, sessionOutcome, policyVersion, settledAt: Date.now() };
    return this.publisher.publish(settled);
  }

  /** Settles a turn that waits no longer for its session's outcome. */
  async settleWaiting(session: string, { turnId, outcome }: DueTurn): Promise<void> {
    const known = await this.findings.gather(turnId);
    // The teacher's half will find the outcome, and the turn waits for nothing else then.
    if (known === null) return;
    const isLost = known.verdict === null && known.hindsight === null;
    const turn = isLost ? null : await this.bus.read(TurnCompleted, turnId);
    await this.settle(turnId, turn, { ...known, session, sessionOutcome: outcome });
  }

  /** Settles a turn that a message was about which nobody could work on. */
  async settleDead(turnId: string): Promise<void> {
    await this.publisher.publish({
      turnId,
      session: undefined,
      outcome: { kind: 'reason', reason: 'dead_letter' },
      verdict: null,
      policyVersion: undefined,
      settledAt: Date.now(),
    });
  }
}
