import { Type, type Static } from '@sinclair/typebox';
import { TypeCompiler } from '@sinclair/typebox/compiler';

const Millis = Type.Integer({ minimum: 0 });
const Sequence = Type.Integer({ minimum: 1 });

/** States of the update gate. Only `serving` lets requests in. */
export const GATE_STATES = ['serving', 'draining', 'updating'] as const;

const GateSchema = Type.Object({
  state: Type.Union(GATE_STATES.map((state) => Type.Literal(state))),
  /** End of the holder's lease, server's clock: a holder that died cannot keep the gate shut. */
  until: Type.Optional(Millis),
  holder: Type.Optional(Type.String()),
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
});

const PolicyStateSchema = Type.Object({
  /** Weight updates so far. */
  version: Type.Integer({ minimum: 0 }),
  gate: GateSchema,
  leases: Type.Array(LeaseSchema),
  /**
   * Finished sequences, ascending: what lies in them is never handed out again. Sequences between them that hold no sample
   * are swallowed, so that the list stays short.
   */
  done: RangesSchema,
  /** Number of samples that were acknowledged; `done` also holds those that are gone. */
  acknowledged: Type.Integer({ minimum: 0 }),
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

/** The state with another gate. */
export const setGate = (state: PolicyState, gate: Gate): PolicyState => ({ ...state, gate });
