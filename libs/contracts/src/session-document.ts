import { Type, type Static, type TSchema } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });

/** Thrown when a stored document does not have its shape: another version of the product wrote it, or somebody by hand. */
export class DocumentShapeError extends Error {
  override readonly name = 'DocumentShapeError';
  readonly retryable = false;

  constructor(document: string, detail: string) {
    super(`stored ${document} ${detail}: delete its key, or bring it to the shape that libs/contracts gives`);
  }
}

/** A function that takes a parsed JSON value for a document of `schema`, or throws DocumentShapeError. */
export const documentParser = <Schema extends TSchema>(
  name: string,
  schema: Schema,
): ((value: unknown) => Static<Schema>) => {
  const checker = TypeCompiler.Compile(schema);
  return (value) => {
    if (checker.Check(value)) return value;
    const first = checker.Errors(value).First();
    throw new DocumentShapeError(name, `${first?.path ?? ''} ${first?.message ?? 'has a wrong shape'}`.trim());
  };
};

/**
 * State of one session, in bucket `sessions` under `sessionDocumentKey`. Ids and times only, never a text.
 * A session that goes on after its end is the next incarnation of the same document.
 */
export const SessionDocument = Type.Object({
  /** Counts the session's lives, from 1. */
  incarnation: Type.Integer({ minimum: 1 }),
  /** Turns that arrived up to then are of an earlier incarnation. */
  since: Type.Optional(Millis),
  /** `open`; `ended`: the end is decided and is being announced; `announced`: all that is left are the ids of the last turns. */
  state: Type.Union([Type.Literal('open'), Type.Literal('ended'), Type.Literal('announced')]),
  /** Turns that are not finished, by id: not completed yet, or without a next state. */
  turns: Type.Record(
    Id,
    Type.Object({
      arrivedAt: Millis,
      completed: Type.Boolean(),
      /** Nothing follows it so far, and something may. */
      open: Type.Boolean(),
    }),
  ),
  /** The last answer a person saw: what feedback on the session is about. */
  lastTurn: Type.Optional(Id),
  lastTurnAt: Type.Optional(Millis),
  /** Ids of turns that are finished and of end requests that were obeyed, oldest first; bounded. */
  seen: Type.Array(Id),
  /** An end that was asked for; it takes the turns that arrived up to `at`. */
  end: Type.Optional(
    Type.Object({
      cause: Type.Union([Type.Literal('idle'), Type.Literal('done'), Type.Literal('closed')]),
      at: Millis,
      /** Sequence in RL_TURNS of the event that asked for it: everything before it is handled first. */
      sequence: Type.Optional(Type.Integer({ minimum: 0 })),
      outcome: Type.Optional(Type.Number()),
    }),
  ),
});

export type SessionDocument = Static<typeof SessionDocument>;

/** KV key of a session's document; `session` as `sessionKey` or `rootSessionKey` makes it. */
export const sessionDocumentKey = (session: string): string => `session.${session}`;

/** @throws DocumentShapeError */
export const parseSessionDocument = documentParser('session document', SessionDocument);
