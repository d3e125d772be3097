import { Type, type Static } from '@sinclair/typebox';
import { defineMessage } from './message';
import { SETTLE_REASONS } from './reasons';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });
const Score = Type.Union([Type.Literal(1), Type.Literal(-1), Type.Literal(0)]);
const ScoreOrNull = Type.Union([Score, Type.Null()]);

export const Vote = Type.Object({
  /** null: the judge answered, but not with a verdict. */
  score: ScoreOrNull,
  /** What the judge wrote. */
  text: Type.String(),
  millis: Type.Integer({ minimum: 0 }),
});

/** The judge's result for one turn. `score` null is "not judged", never a neutral 0. */
export const TurnJudged = defineMessage({
  subject: 'rl.turn.judged.v1',
  stream: 'RL_VERDICTS',
  info: Type.Object({
    turnId: Id,
    session: Id,
    score: ScoreOrNull,
    /** The request whose messages were the next state, if it was one. */
    nextTurnId: Type.Optional(Id),
    feedbackId: Type.Optional(Id),
    judgedAt: Millis,
    /** The votes' scores, for readers of headers. */
    votes: Type.Optional(Type.Array(ScoreOrNull)),
  }),
  body: Type.Object({
    judgeModel: Type.String(),
    votes: Type.Array(Vote),
    /** Why there is no score. */
    detail: Type.Optional(Type.String()),
  }),
});

/** A person's word about an answer, `POST /v1/feedback`. Subject: turn id, feedback id. */
export const FeedbackGiven = defineMessage({
  subject: 'rl.feedback.given.v1',
  stream: 'RL_VERDICTS',
  info: Type.Object({
    turnId: Id,
    feedbackId: Id,
    scope: Id,
    session: Type.Optional(Id),
    givenAt: Millis,
    score: Type.Optional(Score),
    hasText: Type.Boolean(),
    /** How the whole session went, as far as this person has seen it. */
    outcome: Type.Optional(Type.Number()),
  }),
  body: Type.Object({ text: Type.Optional(Type.String()) }),
});

/** End of one incarnation of a session. Subject: session key, incarnation. */
export const SessionEnded = defineMessage({
  subject: 'rl.session.ended.v1',
  stream: 'RL_VERDICTS',
  info: Type.Object({
    session: Id,
    incarnation: Type.Integer({ minimum: 1 }),
    cause: Type.Union([Type.Literal('idle'), Type.Literal('done'), Type.Literal('closed')]),
    /** Gateway's clock: turns that arrived up to then are of an earlier incarnation. */
    since: Type.Optional(Millis),
    /** Gateway's clock: turns that arrived later are of a later incarnation. */
    through: Type.Optional(Millis),
    /** Tracker's clock: when the end was announced. */
    endedAt: Type.Optional(Millis),
    outcome: Type.Optional(Type.Number()),
  }),
  body: Type.Object({
    /** Main-line turns that nothing followed. */
    withoutNextState: Type.Array(Id),
    /** Turns that arrived at a gateway and never completed. */
    lost: Type.Array(Id),
  }),
});

/**
 * The one outcome of a turn: a sample or the reason why there is none. Its subject is the guard: a second outcome is refused.
 * A sample's body is the frame of `sampleToFrame`; a reason has an empty body.
 */
export const TurnSettled = defineMessage({
  subject: 'rl.turn.settled.v1',
  stream: 'RL_SAMPLES',
  info: Type.Object({
    turnId: Id,
    session: Type.Optional(Id),
    kind: Type.Union([Type.Literal('sample'), Type.Literal('reason')]),
    reason: Type.Optional(Type.Union(SETTLE_REASONS.map((reason) => Type.Literal(reason)))),
    detail: Type.Optional(Type.String()),
    score: Type.Optional(Score),
    source: Type.Optional(Type.Union([Type.Literal('votes'), Type.Literal('feedback')])),
    /** The session's outcome that its reward is made of, with integrated rewards. */
    outcome: Type.Optional(Type.Number()),
    /** Of a sample: what it trains on, the reward, the teacher's log-probs, or both. */
    signal: Type.Optional(Type.Union([Type.Literal('reward'), Type.Literal('teacher'), Type.Literal('both')])),
    /** Policy version at the start of the answer: what staleness is counted from. */
    policyVersion: Type.Optional(Type.Integer({ minimum: 0 })),
    settledAt: Millis,
  }),
  body: Type.Unknown(),
});

/** A message that no handler could work on. Subject: app, stream and sequence of the message. Holds no conversation text. */
export const DeadLetter = defineMessage({
  subject: 'rl.dead.letter.v1',
  stream: 'RL_DEAD',
  info: Type.Object({ app: Id, subject: Type.String(), deliveries: Type.Integer(), error: Type.String(), at: Millis }),
  body: Type.Object({}),
});

export type Vote = Static<typeof Vote>;
export type TurnJudgedInfo = ReturnType<(typeof TurnJudged)['decodeInfo']>;
export type FeedbackGivenInfo = ReturnType<(typeof FeedbackGiven)['decodeInfo']>;
export type SessionEndedInfo = ReturnType<(typeof SessionEnded)['decodeInfo']>;
export type TurnSettledInfo = ReturnType<(typeof TurnSettled)['decodeInfo']>;
