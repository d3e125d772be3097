import { Inject, Injectable } from '@nestjs/common';
import type { ChatMessage } from '@app/chat';
import { Bus, NotYetError } from '@app/bus';
import { Settings } from '@app/config';
import {
  FeedbackGiven,
  TurnArrived,
  TurnCompleted,
  type TurnCompletedBody,
  type TurnCompletedInfo,
  type TurnFollowedInfo,
} from '@app/contracts';
import type { FollowedTurn } from './followed-turn';

/** Deliveries after which a message that is still not there is taken to be gone: some four seconds. */
const PATIENCE = 5;
const MINUTE_MS = 60_000;
/** How often an answer is looked for that is still being generated, and that a person has commented on already. */
const ANSWER_PAUSE_MS = 5000;

/** The turn as it was stored. */
export interface StoredTurn {
  readonly info: TurnCompletedInfo;
  readonly body: TurnCompletedBody;
}

/** A followed turn that is worked on: what the judge is shown, and the turn as it was stored. */
export interface ReadableTurn {
  readonly kind: 'turn';
  readonly turn: FollowedTurn;
  readonly stored: StoredTurn;
}

/** What is to be done with a followed turn. */
export type ReadTurn =
  | ReadableTurn
  /** Nobody trains on it, and its outcome is known already. */
  | { readonly kind: 'excluded' }
  | { readonly kind: 'lost' };

const isExcluded = ({ exclusion }: TurnCompletedInfo): boolean =>
  // Judged all the same: the record of such a turn is worth having.
  exclusion !== undefined && exclusion !== 'no_token_ids';

/** Reads the two messages that a `turn.followed` refers to. */
@Injectable()
export class TurnReader {
  private readonly answerMs: number;

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'read'>,
    { session }: Settings,
  ) {
    this.answerMs = session.answerMinutes * MINUTE_MS;
  }

  /** @throws NotYetError while it may still come; BusUnavailableError */
  async read(followed: TurnFollowedInfo, deliveries: number): Promise<ReadTurn> {
    const [completed, nextState] = await Promise.all([
      this.bus.read(TurnCompleted, followed.turnId),
      this.readNextState(followed),
    ]);
    if (completed !== null && isExcluded(completed.info)) return { kind: 'excluded' };
    if (completed === null || nextState === null) {
      const missing = completed === null ? TurnCompleted : TurnArrived;
      if (deliveries < PATIENCE) throw new NotYetError(`${missing.name} for turn ${followed.turnId} is not stored yet`);
      if (completed === null) await this.waitForAnswer(followed.turnId);
      return { kind: 'lost' };
    }
    const { messages, response } = completed.body.head;
    if (response === null) return { kind: 'excluded' };
    const turn = { messages, response, nextState, role: followed.role };
    return { kind: 'turn', turn, stored: completed };
  }

  private async readNextState(followed: TurnFollowedInfo): Promise<readonly ChatMessage[] | null> {
    if (followed.nextTurnId !== undefined) {
      const arrived = await this.bus.read(TurnArrived, followed.nextTurnId);
      return arrived?.body.head.nextState ?? null;
    }
    if (followed.feedbackId === undefined) return null;
    const given = await this.bus.read(FeedbackGiven, followed.turnId, followed.feedbackId);
    return given === null ? null : [{ role: 'user', content: given.body.head.text ?? '' }];
  }

  private async waitForAnswer(turnId: string): Promise<void> {
    const arrived = await this.bus.read(TurnArrived, turnId);
    if (arrived !== null && Date.now() - arrived.info.arrivedAt < this.answerMs) {
      throw new NotYetError(`turn ${turnId} is still being answered`, ANSWER_PAUSE_MS);
    }
  }
}
