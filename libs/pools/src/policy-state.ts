import { Type, type Static } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const Millis = Type.Integer({ minimum: 0 });
const Sequence = Type.Integer({ minimum: 1 });

/** States of the update gate. Only `serving` lets requests in. */
export const GATE_STATES = ['serving', 'draining', 'updating'] as const;

/** How engines stand while their weights are changed; the last one: running answers were let end first. */
export const PAUSE_MODES = ['in_place', 'retract', 'drained'] as const;

/** How an update ended. `recovered`: its trainer was gone, and the engines had the new weights. */
export const UPDATE_OUTCOMES = ['committed', 'recovered', 'aborted', 'expired'] as const;

/** What an update was begun with. */
const UpdateSchema = Type.Object({
  /** Fencing token: only who has it may end the update. */
  token: Type.String(),
  requestId: Type.String(),
  /** What was asked for besides, in one text: a repeated request asks for the same. */
  asked: Type.String(),
  /** Leases whose samples are in the new weights: a commit acknowledges them. */
  leaseIds: Type.Array(Type.String()),
  leaseMs: Type.Integer({ minimum: 1 }),
  /** Server's clock, as every time here. */
  startedAt: Millis,
  /** Known once the engines stand. */
  pause: Type.Optional(Type.Union(PAUSE_MODES.map((mode) => Type.Literal(mode)))),
  /** Where the engines load the new weights from; known at the commit, before they do. */
  weightsPath: Type.Optional(Type.String()),
});

const GateSchema = Type.Object({
  state: Type.Union(GATE_STATES.map((state) => Type.Literal(state))),
  /** End of the holder's lease, server's clock: a holder that died cannot keep the gate shut. */
  until: Type.Optional(Millis),
  holder: Type.Optional(Type.String()),
  /** The update under way; also after the lease's end, until somebody has found out what became of it. */
  update: Type.Optional(UpdateSchema),
});

const EndedUpdateSchema = Type.Object({
  token: Type.String(),
  requestId: Type.String(),
  trainer: Type.String(),
  outcome: Type.Union(UPDATE_OUTCOMES.map((outcome) => Type.Literal(outcome))),
  /** Policy version from then on. */
  version: Type.Integer({ minimum: 0 }),
  engineVersion: Type.Optional(Type.String()),
  startedAt: Millis,
  endedAt: Millis,
  /** Samples that it acknowledged. */
  samples: Type.Integer({ minimum: 0 }),
  /** Why, where it is not the trainer's commit: for people. */
  reason: Type.Optional(Type.String()),
});

const UnfinishedSchema = Type.Object({
  token: Type.String(),
  endedAt: Millis,
  /** What the trainer said of its training, to be told with the new version. */
  metrics: Type.Record(Type.String(), Type.Number()),
});

const RangesSchema = Type.Array(Type.Tuple([Sequence, Sequence]));

const LeaseSchema = Type.Object({
  id: Type.String(),
  /** Identity of the trainer that holds it. */
  trainer: Type.String(),
  /** Sequences in RL_SAMPLES, exactly. */
  sequences: RangesSchema,
  /** Server's clock: from then on the samples may be handed out again. */
  expiresAt: Millis,
  /** Its samples are in an update under way: whatever the time, they stay with it until it has ended. */
  inUpdate: Type.Optional(Type.Literal(true)),
});

/** What a request was answered. Which samples a lease holds stands with the lease, and not here once that has ended. */
const AnswerSchema = Type.Object({
  requestId: Type.String(),
  /** Who asked, or whose lease it was about: two trainers may use the same ids. */
  trainer: Type.String(),
  operation: Type.Union([Type.Literal('lease'), Type.Literal('ack'), Type.Literal('nack'), Type.Literal('extend')]),
  /** What was asked for besides, in one text: a repeated request asks for the same. */
  asked: Type.String(),
  leaseId: Type.String(),
  /** Number of samples that the lease held. */
  samples: Type.Integer({ minimum: 0 }),
  /** End of the lease as it was answered; missing where the operation ended it. */
  expiresAt: Type.Optional(Millis),
  /** Policy version at that time. */
  version: Type.Integer({ minimum: 0 }),
  /** The lease ended because all of its samples were erased. */
  erased: Type.Optional(Type.Boolean()),
});

const PolicyStateSchema = Type.Object({
  /** Weight updates so far. */
  version: Type.Integer({ minimum: 0 }),
  gate: GateSchema,
  /** The engines' own name of this version's weights; missing as long as none has said one. */
  engineVersion: Type.Optional(Type.String()),
  /** Where this version's weights were loaded from; missing where their trainer has put them in, or nobody has changed any. */
  weightsPath: Type.Optional(Type.String()),
  /** Updates begun so far: each gets its number into its token. */
  fence: Type.Optional(Type.Integer({ minimum: 0 })),
  /** The last updates, newest last. */
  history: Type.Optional(Type.Array(EndedUpdateSchema)),
  /** An update that has ended and whose engines may still stand: whoever sees it lets them go on. */
  unfinished: Type.Optional(UnfinishedSchema),
  leases: Type.Array(LeaseSchema),
  /**
   * Finished sequences, ascending: what lies in them is never handed out again. Sequences between them that hold no sample
   * are swallowed, so that the list stays short.
   */
  done: RangesSchema,
  /** Number of samples that were acknowledged; `done` also holds those that are gone. */
  acknowledged: Type.Integer({ minimum: 0 }),
  /** Number of samples that were not handed out because they had become too old. */
  stale: Type.Optional(Type.Integer({ minimum: 0 })),
  /** Answers to the last requests of each trainer, newest last: a repeated request gets the same answer. */
  answers: Type.Array(AnswerSchema),
  /** When the stream of samples was created, server's clock: sequences of a stream that is gone mean nothing. */
  streamCreatedAt: Type.Optional(Millis),
});

/**
 * The policy's shared state: gate, version, leases. One key, so that what must be atomic is one compare-and-set.
 */
export type PolicyState = Static<typeof PolicyStateSchema>;
export type Lease = Static<typeof LeaseSchema>;
export type LeaseAnswer = Static<typeof AnswerSchema>;
export type Gate = Static<typeof GateSchema>;
export type Update = Static<typeof UpdateSchema>;
export type EndedUpdate = Static<typeof EndedUpdateSchema>;
export type PauseMode = (typeof PAUSE_MODES)[number];
export type UpdateOutcome = (typeof UPDATE_OUTCOMES)[number];
export type GateState = (typeof GATE_STATES)[number];

/** Key of the state in the `rl-policy` bucket. */
export const POLICY_KEY = 'state';

/** What holds before anybody has written. */
export const INITIAL_POLICY_STATE: PolicyState = {
  version: 0,
  gate: { state: 'serving' },
  leases: [],
  done: [],
  acknowledged: 0,
  answers: [],
};

const checker = TypeCompiler.Compile(PolicyStateSchema);

/** Thrown when the stored state is not one of ours. */
export class PolicyStateError extends Error {
  override readonly name = 'PolicyStateError';
}

/** @throws PolicyStateError if the value is not a policy state. */
export const parsePolicyState = (value: unknown): PolicyState => {
  if (checker.Check(value)) return value;
  const first = checker.Errors(value).First();
  throw new PolicyStateError(`bucket rl-policy, key ${POLICY_KEY}: ${first?.path ?? ''} ${first?.message ?? ''}`);
};

/** Whether requests have to stay out at `now` (server's clock, milliseconds): closed, and the lease has not ended. */
export const isGateClosed = (state: PolicyState, now: number): boolean =>
  state.gate.state !== 'serving' && (state.gate.until === undefined || now < state.gate.until);

/** The engines' own name of the weights that serve, null where they have none; undefined while they are changed. */
export const servingWeights = ({ gate, engineVersion }: PolicyState): string | null | undefined =>
  gate.state === 'serving' ? (engineVersion ?? null) : undefined;
