import { Inject, Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import {
  SessionEnded,
  TurnFollowed,
  TurnSettled,
  type SessionEndedInfo,
  type SettleReason,
  type TurnFollowedInfo,
} from '@app/contracts';
import { Telemetry } from '@app/telemetry';

/** A turn that ends without a sample. */
export interface Settled {
  readonly turnId: string;
  readonly session?: string;
  readonly reason: SettleReason;
}

/** Publishes what the tracker finds out. Every message is guarded: the first one stands, and only that one is counted. */
@Injectable()
export class Outcomes {
  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'publish' | 'read'>,
    private readonly telemetry: Telemetry,
  ) {}

  async follow(info: TurnFollowedInfo): Promise<void> {
    const { tracer } = this.telemetry;
    // The begin of what becomes of the turn: a tree of its own, since it may begin long after the turn was served.
    const result = await tracer.span('follow turn', { turn: info.turnId, parent: null }, () =>
      this.bus.publish(TurnFollowed, [info.turnId], { info, head: {} }),
    );
    if (result === 'stored') this.telemetry.metrics.turnsFollowed.inc({ role: info.role });
  }

  async settle({ turnId, session, reason }: Settled): Promise<void> {
    const { tracer } = this.telemetry;
    const attributes = { 'openclaw_rl.outcome': reason };
    const info = { turnId, reason, settledAt: Date.now(), ...(session === undefined ? {} : { session }) };
    const result = await tracer.span('settle turn', { turn: turnId, attributes }, () =>
      this.bus.publish(TurnSettled, [turnId], { info: { ...info, kind: 'reason' }, head: {} }),
    );
    if (result === 'stored') this.telemetry.metrics.turnsSettled.inc({ outcome: reason });
  }

  async endSession(
    info: SessionEndedInfo,
    turns: { readonly withoutNextState: string[]; readonly lost: string[] },
  ): Promise<void> {
    const tokens = [info.session, String(info.incarnation)];
    const result = await this.bus.publish(SessionEnded, tokens, { info, head: turns });
    if (result === 'stored') this.telemetry.metrics.sessionsEnded.inc({ cause: info.cause });
  }

  /** Takes down whether a person's words became the turn's next state, or came too late for that. */
  noteText(isUsed: boolean): void {
    this.telemetry.metrics.feedback.inc({ fate: isUsed ? 'text' : 'late' });
  }

  /** Whether this feedback is the turn's next state. */
  async isFollowedBy(turnId: string, feedbackId: string): Promise<boolean> {
    return (await this.bus.read(TurnFollowed, turnId))?.info.feedbackId === feedbackId;
  }

  async isFollowed(turnId: string): Promise<boolean> {
    return (await this.bus.read(TurnFollowed, turnId)) !== null;
  }

  async isSettled(turnId: string): Promise<boolean> {
    return (await this.bus.read(TurnSettled, turnId)) !== null;
  }
}
