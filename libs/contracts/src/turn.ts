import { Type, type Static } from '@sinclair/typebox';
import type { ChatMessage } from '@app/chat';
import { defineMessage } from './message';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });

/** Everything about a request that places it in a session. Only hashes: no client's text, no raw id. */
export const TurnInfo = Type.Object({
  turnId: Id,
  /** Whose identifiers these are; see `scopeOf`. */
  scope: Id,
  /** Gateway's clock, milliseconds since 1970: when the request arrived. */
  arrivedAt: Millis,
  kind: Type.Union([Type.Literal('main'), Type.Literal('side')]),
  /** Session named by a header, the body or an affinity header. Wins over the message chain. */
  namedSession: Type.Optional(Id),
  /** Session named by the client's `Runtime:` line. The message chain wins over it. */
  runtimeSession: Type.Optional(Id),
  /** Chain hash up to and including the last assistant message of the request. */
  parentChain: Type.Optional(Id),
  /** Hash of that assistant message and what it answered. */
  parentExchange: Type.Optional(Id),
  /** Hash of that assistant message alone, where it stands behind nothing but a compaction's summary. */
  parentResponse: Type.Optional(Id),
  /** Hash of `prompt_cache_key` or `user`: narrows a search, never identifies. */
  narrow: Type.Optional(Id),
  client: Id,
  hasTools: Type.Boolean(),
  sessionDone: Type.Boolean(),
  policyVersion: Type.Integer({ minimum: 0 }),
});

/** A message as clients send it; its own fields are checked by the gateway, the rest is kept as it came. */
const Message = Type.Unsafe<ChatMessage>(Type.Object({ role: Type.String() }, { additionalProperties: true }));

/** Published when a request has been accepted, before it is forwarded: the turn it follows can be judged at once. */
export const TurnArrived = defineMessage({
  subject: 'rl.turn.arrived.v1',
  stream: 'RL_TURNS',
  info: Type.Composite([
    TurnInfo,
    Type.Object({
      /** Who speaks in the next state that this request carries; absent when it is no feedback for anybody. */
      nextStateRole: Type.Optional(Type.Union([Type.Literal('user'), Type.Literal('tool')])),
    }),
  ]),
  body: Type.Object({ nextState: Type.Array(Message) }),
});

export const Sampling = Type.Object({
  /** null: neither the client nor the configuration sent one, the engine's own default held. */
  temperature: Type.Union([Type.Number(), Type.Null()]),
  topP: Type.Union([Type.Number(), Type.Null()]),
  topK: Type.Union([Type.Number(), Type.Null()]),
});

/**
 * How a turn's token ids were captured, best first: SGLang's chat with `sglext`, a chat with `return_token_ids` (vLLM),
 * SGLang's `/generate` with a prompt that was rendered here; `text`: not at all.
 */
export const CAPTURE_ROUTES = ['sglext', 'token_ids', 'generate', 'text'] as const;

/** Why a turn that was served cannot be trained on; the gateway knows first. */
export const EXCLUSIONS = [
  'side_turn',
  'undelivered',
  'upstream_error',
  'incomplete',
  'no_token_ids',
  'turn_too_large',
] as const;

/**
 * Published when the answer has been delivered, or has failed. This message is the stored turn: later messages carry its id.
 * Arrays: `promptIds` and `responseIds` (i32), `logProbs` (one per response id); all empty where a turn is not trainable.
 */
export const TurnCompleted = defineMessage({
  subject: 'rl.turn.completed.v1',
  stream: 'RL_TURNS',
  info: Type.Composite([
    TurnInfo,
    Type.Object({
      completedAt: Millis,
      /** Chain hash of the conversation with this answer: the `parentChain` of the request that continues it. */
      chain: Type.Optional(Id),
      /** Hash of this answer and what it answered: the `parentExchange` of the request that continues it. */
      exchange: Type.Optional(Id),
      /** Hash of this answer alone. */
      response: Type.Optional(Id),
      exclusion: Type.Optional(Type.Union(EXCLUSIONS.map((reason) => Type.Literal(reason)))),
      /** The body's route, for readers of headers. */
      route: Type.Optional(Type.Union(CAPTURE_ROUTES.map((route) => Type.Literal(route)))),
      /** Response ids in the body. */
      tokens: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ]),
  body: Type.Object({
    /** The session's name as the client wrote it; null for a client that names none. */
    sessionId: Type.Union([Type.String(), Type.Null()]),
    model: Type.String(),
    messages: Type.Array(Message),
    tools: Type.Optional(Type.Array(Type.Unknown())),
    response: Type.Union([Message, Type.Null()]),
    finishReason: Type.Union([Type.String(), Type.Null()]),
    sampling: Sampling,
    /** Whether `logProbs` were taken after the sampling temperature; null: not known. */
    logProbsTempered: Type.Union([Type.Boolean(), Type.Null()]),
    /** How the token ids were captured, or would have been; `text` where none were asked for. */
    route: Type.Union(CAPTURE_ROUTES.map((route) => Type.Literal(route))),
    /** The engine's own names of the weights that made the answer, oldest first. */
    weightVersions: Type.Array(Type.String()),
    policyVersion: Type.Object({
      start: Type.Integer(),
      end: Type.Integer(),
      /** Whose tokens are whose, oldest first, where the weights changed in the middle of a streamed answer. */
      spans: Type.Optional(Type.Array(Type.Object({ version: Type.Integer(), tokens: Type.Integer({ minimum: 1 }) }))),
    }),
    /** What was wrong, where `exclusion` is set: a word of the gateway's, never a client's text. */
    detail: Type.Optional(Type.String()),
  }),
});

/** The client's own end of a session, `POST /v1/sessions/{id}/end`. Subject: one id, the request's. */
export const SessionClosed = defineMessage({
  subject: 'rl.session.closed.v1',
  stream: 'RL_TURNS',
  info: Type.Object({
    scope: Id,
    session: Id,
    closedAt: Millis,
    /** The outcome of the whole session as the client rates it. */
    outcome: Type.Optional(Type.Number()),
  }),
  body: Type.Object({}),
});

/** Says which request carries the next state of which turn. References only: both texts are read by their subjects. */
export const TurnFollowed = defineMessage({
  subject: 'rl.turn.followed.v1',
  stream: 'RL_FOLLOWS',
  info: Type.Object({
    turnId: Id,
    session: Id,
    role: Type.Union([Type.Literal('user'), Type.Literal('tool')]),
    /** The request whose `turn.arrived` holds the next state … */
    nextTurnId: Type.Optional(Id),
    /** … or the feedback whose text is it. One of the two is set. */
    feedbackId: Type.Optional(Id),
  }),
  body: Type.Object({}),
});

export type TurnInfo = Static<typeof TurnInfo>;
export type Sampling = Static<typeof Sampling>;
export type CaptureRoute = (typeof CAPTURE_ROUTES)[number];
export type Exclusion = (typeof EXCLUSIONS)[number];
export type TurnArrivedInfo = ReturnType<(typeof TurnArrived)['decodeInfo']>;
export type TurnCompletedInfo = ReturnType<(typeof TurnCompleted)['decodeInfo']>;
export type TurnCompletedBody = ReturnType<(typeof TurnCompleted)['decode']>['body'];
export type TurnFollowedInfo = ReturnType<(typeof TurnFollowed)['decodeInfo']>;
