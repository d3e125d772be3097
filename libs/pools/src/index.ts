export {
  GATE_STATES,
  INITIAL_POLICY_STATE,
  isGateClosed,
  parsePolicyState,
  POLICY_KEY,
  PolicyStateError,
  type GateState,
  type Lease,
  type PolicyState,
} from './policy-state';
export { PolicyWatch } from './policy-watch';
