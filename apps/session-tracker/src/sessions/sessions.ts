import { Injectable } from '@nestjs/common';
import { sessionDocumentKey, type SessionDocument } from '@app/contracts';
import { Outcomes } from '../outcomes/outcomes';
import { Stores } from '../storage/stores';
import {
  applyChanges,
  concludeEnd,
  decideEnd,
  endingTurns,
  isDue,
  overdueTurns,
  type SessionChange,
} from './session-state';

/** Keeps the sessions' documents: which turns wait, which session ends, and what that means for its turns. */
@Injectable()
export class Sessions {
  constructor(
    private readonly stores: Stores,
    private readonly outcomes: Outcomes,
  ) {}

  /**
   * Applies what events say. Returns the sequence of the event after which the session can end, if it is to end now:
   * once everything up to there has been handled, `endDue` ends it.
   */
  async apply(session: string, changes: readonly SessionChange[]): Promise<number | null> {
    const doc = await this.change(session, changes);
    if (doc === null) return null;
    await this.settleOverdue(session, doc);
    return isDue(doc) ? (doc.end?.sequence ?? 0) : null;
  }

  /** Says that turns have their outcome elsewhere. */
  async release(session: string, turnIds: readonly string[]): Promise<void> {
    await this.change(
      session,
      turnIds.map((turnId) => ({ kind: 'released', turnId })),
    );
  }

  /** Ends a session that asked for it, and whose turns are all answered. */
  async endDue(session: string): Promise<void> {
    await this.end(session, isDue);
  }

  /** Ends a session that nobody has touched since `revision` was written. */
  async endQuiet(session: string, revision: number): Promise<void> {
    await this.end(session, (doc, current) => doc.state === 'open' && current === revision);
  }

  /** Applies changes; an end that is being announced comes first, so that incarnations never mix. */
  private async change(session: string, changes: readonly SessionChange[]): Promise<SessionDocument | null> {
    for (;;) {
      const { doc, ended } = await this.stores.sessions.update(sessionDocumentKey(session), (current) => {
        if (current?.state === 'ended') return { next: null, result: { doc: current, ended: true } };
        const next = applyChanges(current, changes);
        const isNews = JSON.stringify(next) !== JSON.stringify(current);
        return { next: isNews ? next : null, result: { doc: next, ended: false } };
      });
      if (!ended || doc === null) return doc;
      await this.announce(session, doc);
    }
  }

  private async end(session: string, condition: (doc: SessionDocument, revision: number) => boolean): Promise<void> {
    const doc = await this.stores.sessions.update(sessionDocumentKey(session), (current, revision) => {
      if (current === null || current.state === 'ended') return { next: null, result: current };
      if (!condition(current, revision)) return { next: null, result: null };
      const decided = decideEnd(current);
      return { next: decided, result: decided };
    });
    if (doc !== null) await this.announce(session, doc);
  }

  /** Publishes a decided end and its turns' outcomes, then concludes it. Any replica may do it, again and again. */
  private async announce(session: string, doc: SessionDocument): Promise<void> {
    const { incarnation, since, end } = doc;
    const turns = endingTurns(doc);
    // A follower's handler may have died between saying so and writing it into the document.
    const withoutNextState = await this.withoutFollowed(turns.withoutNextState);
    await this.outcomes.endSession(
      {
        session,
        incarnation,
        cause: end?.cause ?? 'idle',
        ...(since === undefined ? {} : { since }),
        through: end?.at ?? 0,
        endedAt: Date.now(),
        ...(end?.outcome === undefined ? {} : { outcome: end.outcome }),
      },
      { withoutNextState, lost: turns.lost },
    );
    for (const turnId of withoutNextState) await this.outcomes.settle({ turnId, session, reason: 'no_next_state' });
    for (const turnId of turns.lost) await this.outcomes.settle({ turnId, session, reason: 'gateway_lost' });
    await this.stores.sessions.update(sessionDocumentKey(session), (current) => {
      const isMine = current?.state === 'ended' && current.incarnation === incarnation;
      return { next: isMine ? concludeEnd(current) : null, result: undefined };
    });
  }

  private async settleOverdue(session: string, doc: SessionDocument): Promise<void> {
    const overdue = overdueTurns(doc);
    if (overdue.length === 0) return;
    for (const turnId of await this.withoutFollowed(overdue)) {
      await this.outcomes.settle({ turnId, session, reason: 'no_next_state' });
    }
    await this.release(session, overdue);
  }

  private async withoutFollowed(turnIds: readonly string[]): Promise<string[]> {
    const followed = await Promise.all(turnIds.map((turnId) => this.outcomes.isFollowed(turnId)));
    return turnIds.filter((_, i) => followed[i] !== true);
  }
}
