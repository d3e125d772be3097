import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { BUCKETS, sessionDocumentKey, turnPlaceKey } from '@app/contracts';
import { SessionOutcomes } from '../outcome/session-outcomes';

/** What is kept of sessions in documents: state, places of turns, message chains, outcomes. @throws BusUnavailableError */
@Injectable()
export class SessionDocuments {
  constructor(
    private readonly bus: Bus,
    private readonly outcomes: SessionOutcomes,
  ) {}

  /** Removes everything of a session, and of its turns. */
  async forget(session: string, turnIds: readonly string[]): Promise<void> {
    await this.forgetPlaces(turnIds);
    await this.outcomes.forget(session, turnIds, true);
    await (await this.bus.bucket(BUCKETS.sessions)).purge(sessionDocumentKey(session));
    const chains = await this.bus.bucket(BUCKETS.chains);
    const listed = await (await this.bus.documents(BUCKETS.chains, String)).list(`chain.${session}.*`);
    for (const { key } of listed) await chains.purge(key);
  }

  /** Removes what is kept of some turns of a session that may go on. */
  async forgetTurns(session: string, turnIds: readonly string[]): Promise<void> {
    await this.forgetPlaces(turnIds);
    await this.outcomes.forget(session, turnIds, false);
  }

  private async forgetPlaces(turnIds: readonly string[]): Promise<void> {
    const documents = await this.bus.bucket(BUCKETS.sessions);
    for (const turnId of turnIds) await documents.purge(turnPlaceKey(turnId));
  }
}
