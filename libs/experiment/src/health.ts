/** Correctness that a training may cost, and the part of the entropy that must be left. */
const LOSABLE_RIGHT = 0.05;
const KEPT_ENTROPY = 0.5;

/** What a policy that collapses loses. */
export interface Health {
  /** Share of right answers, in whatever style. */
  readonly right: number;
  /** In nats a token. */
  readonly entropy: number;
}

/** Whether a training kept what it was not to change: right answers, and their variety. */
export const compareHealth = (before: Health, after: Health): { keepsRight: boolean; keepsEntropy: boolean } => ({
  keepsRight: after.right >= before.right - LOSABLE_RIGHT,
  keepsEntropy: after.entropy >= before.entropy * KEPT_ENTROPY,
});
