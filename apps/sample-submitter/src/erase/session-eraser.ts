import { Injectable } from '@nestjs/common';
import { rootSessionKey, type ErasureDocument } from '@app/contracts';
import { RecordFiles } from '../records/record-files';
import { Erasures } from './erasures';
import { SessionDocuments } from './session-documents';
import { turnIdOf, type SessionMessages, type StoredInfo } from './session-messages';
import { StoredSessions } from './stored-sessions';

/** What was removed. */
export interface Erased {
  readonly messages: number;
  readonly records: number;
  /** Ids of its turns. */
  readonly turns: readonly string[];
}

/**
 * Removes everything that is kept of one session: its messages in every stream, its documents, its records. Samples that
 * a trainer holds stay with it; here they are gone.
 */
@Injectable()
export class SessionEraser {
  constructor(
    private readonly files: RecordFiles,
    private readonly stored: StoredSessions,
    private readonly erasures: Erasures,
    private readonly documents: SessionDocuments,
  ) {}

  /**
   * Erases what there is, and leaves a note for what is in hand: see `followUp`.
   * @throws BusUnavailableError, or the system's error where a record cannot be removed
   */
  async erase(session: string): Promise<Erased> {
    const after = await this.stored.lastSequences();
    const before = await this.erasures.read(session);
    const { messages, ours } = await this.stored.find(session, { turns: before?.turns ?? [] });
    const turns = turnsOf(messages);
    const found = { after, turns, places: placesOf(ours, session, turns) };
    // Before the first deletion: whoever dies behind this line has left enough behind to go on.
    if (messages.length > 0) await this.erasures.write(session, found);
    const deleted = await this.stored.remove(messages);
    await this.documents.forget(session, turns);
    const lines = await this.removeRecords(session, found);
    return { messages: deleted, records: lines + (await this.files.removeSessions([session])), turns };
  }

  /**
   * Erases what was published since of turns that had arrived before the session was erased, and what is known only since to
   * be the session's. Turns that arrived afterwards stay. `isNews`: this state of the note has not been followed up yet.
   * Returns the number of messages.
   * @throws as `erase`
   */
  async followUp(session: string, erasure: ErasureDocument, isNews: boolean): Promise<number> {
    const { messages, ours } = await this.stored.find(session, erasure);
    // Read last: a turn arrives before anything else is said about it.
    const later = await this.stored.arrivedAfter(erasure.after);
    const known = new Set(erasure.turns);
    const old = new Set(turnsOf(messages).filter((turnId) => known.has(turnId) || !later.has(turnId)));
    const learned = [...old].filter((turnId) => !known.has(turnId));
    const found = { after: erasure.after, turns: learned, places: placesOf(ours, session, [...old]) };
    const hasMore = learned.length > 0 || found.places.some((place) => !erasure.places.includes(place));
    const noted = hasMore ? await this.erasures.write(session, found) : erasure;
    // What an erasure has left that was cut short, and of turns that were not known for the session's then.
    const earlier = isNews ? await this.stored.ofTurns(known) : [];
    const isOld = (message: StoredInfo): boolean => old.has(turnIdOf(message) ?? '');
    const deleted = await this.stored.remove([...messages.filter(isOld), ...earlier]);
    await this.documents.forgetTurns(session, [...old]);
    await this.removeRecords(session, noted);
    return deleted;
  }

  /** Removes the lines of the erased turns, wherever they may have been written. */
  async removeRecords(session: string, { turns, places }: ErasureDocument): Promise<number> {
    // A turn whose session was not known yet when its record was written has a file of its own.
    const sessions = [session, ...places, ...turns.map(rootSessionKey)];
    return this.files.removeTurns(new Set(sessions), new Set(turns));
  }
}

const turnsOf = (messages: readonly StoredInfo[]): string[] => [
  ...new Set(messages.flatMap((message) => turnIdOf(message) ?? [])),
];

const placesOf = (ours: SessionMessages, session: string, turns: readonly string[]): string[] => [
  ...new Set(turns.flatMap((turnId) => ours.placeOf(turnId) ?? []).filter((place) => place !== session)),
];
