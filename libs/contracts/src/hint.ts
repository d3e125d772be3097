import { Type, type Static } from '@sinclair/typebox';
import { defineMessage } from './message';

const Id = Type.String({ pattern: '^[-\\w]{1,64}$' });
const Millis = Type.Integer({ minimum: 0 });

/** Why a followed turn got no teacher log-probs. Each is explained in ARCHITECTURE.md. */
export const NO_HINT_REASONS = [
  'no_hint',
  'no_valid_vote',
  'judge_refused',
  'judge_failed',
  'no_token_ids',
  'temperature_mismatch',
  'prompt_mismatch',
  'teacher_refused',
  'teacher_failed',
  'scores_incomplete',
  'turn_too_large',
] as const;

export const HintVoteCast = Type.Object({
  /** 1: what followed shows how the answer should have been; -1: it does not; null: no vote in the right form. */
  decision: Type.Union([Type.Literal(1), Type.Literal(-1), Type.Null()]),
  hint: Type.String(),
  /** What the judge wrote. */
  text: Type.String(),
  millis: Type.Integer({ minimum: 0 }),
});

/**
 * The teacher's result for one turn. Arrays where `reason` is absent: `teacherLogProbs` (f64, one per response id), and with
 * top-K distillation `topLogProbs` (f64) and `topIds` (i32), K per response id, `topPresent` (u8): 0 where there are no K.
 */
export const TurnHinted = defineMessage({
  subject: 'rl.turn.hinted.v1',
  stream: 'RL_VERDICTS',
  info: Type.Object({
    turnId: Id,
    session: Id,
    /** Why there is no signal; absent: there is one. */
    reason: Type.Optional(Type.Union(NO_HINT_REASONS.map((reason) => Type.Literal(reason)))),
    nextTurnId: Type.Optional(Id),
    feedbackId: Type.Optional(Id),
    hintedAt: Millis,
  }),
  body: Type.Object({
    judgeModel: Type.String(),
    votes: Type.Array(HintVoteCast),
    /** Place of the vote whose hint was taken; null: none was. */
    selected: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
    /** That hint, cut to its longest. */
    hint: Type.Union([Type.String(), Type.Null()]),
    teacherModel: Type.Union([Type.String(), Type.Null()]),
    /** What was wrong in particular: our own words, no text of the conversation. */
    detail: Type.Optional(Type.String()),
  }),
});

export type NoHintReason = (typeof NO_HINT_REASONS)[number];
export type HintVoteCast = Static<typeof HintVoteCast>;
export type TurnHintedInfo = ReturnType<(typeof TurnHinted)['decodeInfo']>;
export type TurnHintedBody = ReturnType<(typeof TurnHinted)['decode']>['body'];
