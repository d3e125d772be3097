/**
 * Why a turn made no sample. A closed list: it is a metric label, and every excluded turn carries exactly one.
 * Each reason is explained in ARCHITECTURE.md.
 */
export const SETTLE_REASONS = [
  'side_turn',
  'undelivered',
  'upstream_error',
  'incomplete',
  'no_token_ids',
  'turn_too_large',
  'no_next_state',
  'gateway_lost',
  'turn_lost',
  'not_judged',
  'neutral',
  'no_outcome',
  'no_hint',
  'no_teacher',
  'temperature_mismatch',
  'evaluated',
  'queue_full',
  'dead_letter',
] as const;

export type SettleReason = (typeof SETTLE_REASONS)[number];
