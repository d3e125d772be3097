export { describePlan } from './describe-plan';
export {
  LeaseError,
  LeaseExpiredError,
  LeaseFinishedError,
  OutdatedViewError,
  RequestIdReusedError,
  TooManyLeasesError,
  TooManyTrainersError,
  UnknownLeaseError,
} from './lease-error';
export {
  ackLease,
  extendLease,
  MAX_LEASES,
  nackLease,
  takeLease,
  type Change,
  type LeaseContext,
  type LeaseRequest,
  type OnLease,
  type TakenLease,
} from './leases';
export {
  GATE_STATES,
  INITIAL_POLICY_STATE,
  isGateClosed,
  parsePolicyState,
  POLICY_KEY,
  PolicyStateError,
  setGate,
  type Gate,
  type GateState,
  type Lease,
  type LeaseAnswer,
  type PolicyState,
} from './policy-state';
export {
  planPools,
  POOL_NAMES,
  PoolPlanError,
  poolProblems,
  requirePools,
  type Pool,
  type PoolName,
  type PoolPlan,
} from './pool-plan';
export { PolicyStore } from './policy-store';
export { PolicyWatch } from './policy-watch';
export { expandRanges, inRanges, type Ranges } from './ranges';
export { dropSamples, leasedSequences, markDone, nextExpiry, waitingSequences, type SampleView } from './sample-view';
