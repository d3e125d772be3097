import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import {
  BUCKETS,
  CONSUMERS,
  parseSessionDocument,
  sessionDocumentKey,
  sessionKeysOf,
  type SessionDocument,
} from '@app/contracts';
import { Outbox } from '../capture/outbox';

/** How long a word about a session waits until everybody knows its turns, and how often it looks. */
const CATCH_UP_MS = 2000;
const LOOK_EVERY_MS = 10;

/** The sessions that the session-tracker knows. */
@Injectable()
export class KnownSessions {
  constructor(
    private readonly bus: Bus,
    private readonly outbox: Outbox,
  ) {}

  /** Those that a caller may mean by a name. @throws BusUnavailableError */
  async find(scope: string, name: string): Promise<SessionDocument[]> {
    const documents = await this.bus.documents(BUCKETS.sessions, parseSessionDocument);
    const found = await Promise.all(
      sessionKeysOf(scope, name).map((session) => documents.get(sessionDocumentKey(session))),
    );
    return found.flatMap((entry) => entry?.value ?? []);
  }

  /**
   * Resolves once the session-tracker has handled every turn that has been served until now; false: it is too slow.
   * @throws BusUnavailableError
   */
  async catchUp(): Promise<boolean> {
    const end = performance.now() + CATCH_UP_MS;
    await this.outbox.flush(CATCH_UP_MS);
    const { trackerTurns } = CONSUMERS;
    const newest = await this.bus.newestIn(trackerTurns.stream);
    while (performance.now() < end) {
      const settled = await this.bus.settledThrough(trackerTurns);
      if (settled === null || settled >= newest) return this.outbox.size === 0;
      await pause(LOOK_EVERY_MS);
    }
    return false;
  }
}
