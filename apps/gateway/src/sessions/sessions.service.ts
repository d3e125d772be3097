import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { EraseSession, SessionClosed, sessionKeysOf } from '@app/contracts';
import { OpenAiError } from '../errors/openai-error';
import { KnownSessions } from './known-sessions';

/** Scanning the streams of a full store takes a while. */
const ERASE_TIMEOUT_MS = 60_000;

/** What was removed of a session. */
export interface Erased {
  readonly messages: number;
  readonly records: number;
}

/** Ends sessions, and removes what is kept of them, at their client's word. */
@Injectable()
export class SessionsService {
  constructor(
    private readonly bus: Bus,
    private readonly known: KnownSessions,
  ) {}

  /** Asks the session-tracker to end the session now. @throws BusUnavailableError, OpenAiError 404 where there is none */
  async end(scope: string, sessionId: string, outcome: number | undefined): Promise<void> {
    if (await this.isUnknown(scope, sessionId)) {
      throw new OpenAiError(404, 'not_found', 'id: no turn of yours is known of a session that is called so', {
        param: 'id',
      });
    }
    for (const session of sessionKeysOf(scope, sessionId)) {
      const info = { scope, session, closedAt: Date.now(), ...(outcome === undefined ? {} : { outcome }) };
      await this.bus.publish(SessionClosed, [randomUUID()], { info, head: {} });
    }
  }

  /** Removes messages, documents and records. @throws BusUnavailableError, OpenAiError 404 where there is nothing, 503 */
  async erase(scope: string, sessionId: string): Promise<Erased> {
    let [messages, records] = [0, 0];
    for (const session of sessionKeysOf(scope, sessionId)) {
      const erased = await this.eraseKey(session);
      messages += erased.messages;
      records += erased.records;
    }
    if (messages + records > 0) return { messages, records };
    throw new OpenAiError(404, 'not_found', 'id: nothing is kept of a session of yours that is called so', {
      param: 'id',
    });
  }

  /** Removes a session by its key, whoever's it is. @throws BusUnavailableError, OpenAiError 503 */
  async eraseKey(session: string): Promise<Erased> {
    const request = EraseSession.encodeRequest({ session });
    try {
      const reply = await this.bus.core().request(EraseSession.subject, request, { timeout: ERASE_TIMEOUT_MS });
      return EraseSession.decodeReply(reply.string());
    } catch (cause) {
      if (!this.bus.isUp) throw cause;
      const message = 'sample-submitter, which removes sessions, does not answer; try again shortly';
      throw new OpenAiError(503, 'erase_unavailable', message, { retryAfterSeconds: 2, cause });
    }
  }

  /** false also where nobody can say so now: turns of it may be on their way. */
  private async isUnknown(scope: string, sessionId: string): Promise<boolean> {
    const isKnown = async (): Promise<boolean> => (await this.known.find(scope, sessionId)).length > 0;
    if (await isKnown()) return false;
    // Without a session-tracker there is no progress to be read.
    const isUpToDate = await this.known.catchUp().catch(() => false);
    return isUpToDate && !(await isKnown());
  }
}
