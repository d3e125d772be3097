export { describePlan } from './describe-plan';
export { GateWatch } from './gate-watch';
export { showGpus } from './gpu-share';
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
  servingWeights,
  type EndedUpdate,
  type Gate,
  type GateState,
  type Lease,
  type LeaseAnswer,
  type PauseMode,
  type PolicyState,
  type Update,
  type UpdateOutcome,
} from './policy-state';
export {
  obeysGate,
  planPools,
  POOL_NAMES,
  PoolPlanError,
  poolProblems,
  requirePools,
  sharesPolicyGpus,
  type Pool,
  type PoolName,
  type PoolPlan,
} from './pool-plan';
export {
  abortUpdate,
  beginUpdate,
  commitUpdate,
  expiredUpdateOf,
  extendUpdate,
  finishUpdate,
  nameWeights,
  recoverUpdate,
  startUpdating,
  type BegunUpdate,
  type UpdateContext,
  type UpdateRequest,
} from './update';
export {
  StaleLeaseError,
  UnknownUpdateError,
  UpdateEndedError,
  UpdateInProgressError,
  UpdateNotReadyError,
  UpdateUnresolvedError,
} from './update-error';
export { PolicyStore } from './policy-store';
export { PolicyWatch } from './policy-watch';
export { answerRunning, isDrained, type Runner } from './running';
export { expandRanges, inRanges, type Ranges } from './ranges';
export {
  countLeasable,
  dropSamples,
  leasedSequences,
  markDone,
  nextExpiry,
  staleSequences,
  waitingSequences,
  type SampleView,
} from './sample-view';
