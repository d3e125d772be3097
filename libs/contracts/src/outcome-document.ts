import { Type, type Static } from '@sinclair/typebox';
import { documentParser } from './session-document';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });

/**
 * What is known of a session's outcome, and who waits for it, with integrated rewards: bucket `sessions`, under
 * `outcomeDocumentKey`. Ids, times and the outcomes themselves, never a text. The bucket's time to live removes it.
 */
export const OutcomeDocument = Type.Object({
  /** Judged turns that wait, and when each arrived, gateway's clock. */
  turns: Type.Record(Id, Millis),
  /** Outcomes as feedback has said them. Oldest first; bounded. */
  said: Type.Array(Type.Object({ by: Id, at: Millis, outcome: Type.Number() })),
  /** Ends of the session's incarnations, oldest first; bounded. All as in `session.ended`. */
  ends: Type.Array(
    Type.Object({
      incarnation: Type.Integer({ minimum: 1 }),
      since: Millis,
      through: Millis,
      endedAt: Millis,
      outcome: Type.Optional(Type.Number()),
    }),
  ),
});

export type OutcomeDocument = Static<typeof OutcomeDocument>;

/** KV key of a session's outcome; `session` as `sessionKey` or `rootSessionKey` makes it. */
export const outcomeDocumentKey = (session: string): string => `outcome.${session}`;

/** @throws DocumentShapeError */
export const parseOutcomeDocument = documentParser('outcome document', OutcomeDocument);
