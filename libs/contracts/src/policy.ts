import { Type, type Static } from '@sinclair/typebox';
import { defineMessage } from './message';

const Millis = Type.Integer({ minimum: 0 });

/**
 * Published when new weights serve. Subject: the policy version that they are. `recovered`: their trainer was gone before its
 * commit, and the engines had them.
 */
export const PolicyUpdated = defineMessage({
  subject: 'rl.policy.updated.v1',
  stream: 'RL_POLICY',
  info: Type.Object({
    version: Type.Integer({ minimum: 1 }),
    outcome: Type.Union([Type.Literal('committed'), Type.Literal('recovered')]),
    trainer: Type.String(),
    /** The engines' own name of the weights, where they have one. */
    engineVersion: Type.Optional(Type.String()),
    startedAt: Millis,
    endedAt: Millis,
    /** Samples that went into them. */
    samples: Type.Integer({ minimum: 0 }),
  }),
  body: Type.Object({
    /** What the trainer said of its training. */
    metrics: Type.Record(Type.String(), Type.Number()),
  }),
});

export type PolicyUpdatedInfo = ReturnType<(typeof PolicyUpdated)['decodeInfo']>;

/** What the policy says to a prompt that nobody trains on, before an update and after it. */
export const HeldOutAnswer = Type.Object({ prompt: Type.String(), before: Type.String(), after: Type.String() });

/** Published when a trainer reports answers to held-out prompts. Subject: the policy version that gave the later ones. */
export const PolicyAnswered = defineMessage({
  subject: 'rl.policy.answered.v1',
  stream: 'RL_POLICY',
  info: Type.Object({ version: Type.Integer({ minimum: 1 }), answeredAt: Millis }),
  body: Type.Object({ answers: Type.Array(HeldOutAnswer) }),
});

export type HeldOutAnswer = Static<typeof HeldOutAnswer>;
