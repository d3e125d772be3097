import { Inject, Injectable } from '@nestjs/common';
import { JetStreamApiError } from '@nats-io/jetstream';
import { Bus, QueuedDocuments, type DocumentStore, type Listed } from '@app/bus';
import { BUCKETS, outcomeDocumentKey, parseOutcomeDocument, type OutcomeDocument } from '@app/contracts';
import { Settings } from '@app/config';
import { Settler } from '../settling/settler';
import { applyChanges, isBlank, weighTurns, type OutcomeChange } from './outcome-state';

/** A document that nobody has written for so long: no session is quiet for longer, and then its bucket forgets it. */
const GIVEN_UP_MS = 40 * 3_600_000;
const EVERY_SESSION = outcomeDocumentKey('*');

/**
 * Turns that wait for the outcome of their session, and outcomes as they are said. All that lasts is in one document a
 * session: whoever writes it last settles the turns that wait no longer, and a sweep settles what a crash has left.
 */
@Injectable()
export class SessionOutcomes {
  private readonly documents: DocumentStore<OutcomeDocument>;

  constructor(
    @Inject(Bus) private readonly bus: Pick<Bus, 'documents' | 'bucket'>,
    private readonly settings: Settings,
    @Inject(Settler) private readonly settler: Pick<Settler, 'settleWaiting'>,
  ) {
    this.documents = new QueuedDocuments(() => bus.documents(BUCKETS.sessions, parseOutcomeDocument));
  }

  /** Writes down what an event says, and settles the turns that need not wait any more. @throws BusUnavailableError */
  async apply(session: string, changes: readonly OutcomeChange[]): Promise<void> {
    const doc = await this.change(session, changes);
    await this.settleDue(session, doc, { now: Date.now(), hasGivenUp: false });
  }

  /**
   * Takes turns of an erased session out. `isAll`: with what was said of it until now, and the document itself if nobody else
   * waits in it. @throws BusUnavailableError
   */
  async forget(session: string, turnIds: readonly string[], isAll: boolean): Promise<void> {
    await this.change(session, [{ kind: isAll ? 'erased' : 'left', turnIds }]);
    const key = outcomeDocumentKey(session);
    const stored = isAll ? await this.documents.get(key) : null;
    if (stored === null || !isBlank(stored.value)) return;
    try {
      await (await this.bus.bucket(BUCKETS.sessions)).purge(key, { previousSeq: stored.revision });
    } catch (error) {
      // Somebody waits in it by now.
      if (!(error instanceof JetStreamApiError)) throw error;
    }
  }

  /** Documents of every session that were written after `revision`. @throws BusUnavailableError */
  list(revision: number): Promise<readonly Listed[]> {
    return this.documents.list(EVERY_SESSION, revision);
  }

  /**
   * Settles what is due in a listed document. Returns when to look again, milliseconds since 1970; null: once it is written.
   * @throws BusUnavailableError
   */
  async look(key: string, now: number): Promise<number | null> {
    const stored = await this.documents.get(key);
    if (stored === null || Object.keys(stored.value.turns).length === 0) return null;
    const givenUpAt = stored.writtenAt + GIVEN_UP_MS;
    const session = key.slice(outcomeDocumentKey('').length);
    // Where outcomes have been switched off, what still waits is settled without.
    const hasGivenUp = now >= givenUpAt || !this.settings.reward.integrated;
    const nextAt = await this.settleDue(session, stored.value, { now, hasGivenUp });
    return Math.min(nextAt ?? Infinity, givenUpAt);
  }

  private async settleDue(
    session: string,
    doc: OutcomeDocument,
    at: { readonly now: number; readonly hasGivenUp: boolean },
  ): Promise<number | null> {
    const waitMs = this.settings.reward.outcomeWaitS * 1000;
    const { due, nextAt } = weighTurns(doc, { ...at, waitMs });
    if (due.length === 0) return nextAt;
    for (const turn of due) await this.settler.settleWaiting(session, turn);
    // Last: what dies before this is settled again, and its outcome stands.
    await this.change(session, [{ kind: 'left', turnIds: due.map(({ turnId }) => turnId) }]);
    return nextAt;
  }

  private change(session: string, changes: readonly OutcomeChange[]): Promise<OutcomeDocument> {
    return this.documents.update(outcomeDocumentKey(session), (current) => {
      const next = applyChanges(current, changes);
      const isNews = JSON.stringify(next) !== JSON.stringify(applyChanges(current, []));
      return { next: isNews ? next : null, result: next };
    });
  }
}
