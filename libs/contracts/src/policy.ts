import { Type } from '@sinclair/typebox';
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
