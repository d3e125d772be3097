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

const LeaseSchema = Type.Object({
  id: Type.String(),
  trainer: Type.String(),
  /** Sequences in RL_SAMPLES, ascending. */
  sequences: Type.Array(Sequence),
  /** Server's clock: from then on the samples are handed out again. */
  expiresAt: Millis,
});

const AnswerSchema = Type.Object({ requestId: Type.String(), answer: Type.Unknown() });

const PolicyStateSchema = Type.Object({
  /** Weight updates so far. */
  version: Type.Integer({ minimum: 0 }),
  gate: GateSchema,
  leases: Type.Array(LeaseSchema),
  /** Finished sequences as closed ranges [first, last], ascending, never touching: what is below is never handed out again. */
  done: Type.Array(Type.Tuple([Sequence, Sequence])),
  /** Answers to the last requests, newest last: a repeated request gets the same answer. */
  answers: Type.Array(AnswerSchema),
});

/**
 * The policy's shared state: gate, version, leases. One key, so that what must be atomic is one compare-and-set.
 */
export type PolicyState = Static<typeof PolicyStateSchema>;
export type Lease = Static<typeof LeaseSchema>;
export type GateState = (typeof GATE_STATES)[number];

/** Key of the state in the `rl-policy` bucket. */
export const POLICY_KEY = 'state';

/** What holds before anybody has written. */
export const INITIAL_POLICY_STATE: PolicyState = {
  version: 0,
  gate: { state: 'serving' },
  leases: [],
  done: [],
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
