import { Type, type Static } from '@sinclair/typebox';
import { documentParser } from './session-document';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });

/**
 * What is left of a session that was erased, in bucket `sessions` under `erasureDocumentKey`: what was in hand at that moment,
 * a turn that was being judged or streamed, is published afterwards and has to go as well. Ids only, never a text.
 */
export const ErasureDocument = Type.Object({
  /** Last sequence of each stream at that moment. */
  after: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** Turns that are known to have been the session's. */
  turns: Type.Array(Id),
  /** Sessions, this one aside, that those turns were counted to: their records may hold lines of these turns. */
  places: Type.Array(Id),
});

export type ErasureDocument = Static<typeof ErasureDocument>;

/** KV key of the note that a session was erased. The server's time of writing is the time of the erasure. */
export const erasureDocumentKey = (session: string): string => `erased.${session}`;

/** @throws DocumentShapeError */
export const parseErasureDocument = documentParser('note of an erased session', ErasureDocument);
