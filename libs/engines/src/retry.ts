/** How often and how patiently a call is repeated. */
export interface RetryPolicy {
  /** Calls in all, the first included. */
  readonly attempts: number;
  readonly firstDelayMs: number;
  readonly longestDelayMs: number;
}

/** Longest `Retry-After` that is believed: an engine must not be able to send a caller away for days. */
const LONGEST_RETRY_AFTER_MS = 300_000;

/**
 * Pause before the next attempt, in milliseconds: doubled every time up to the longest, times `spread`, and never
 * shorter than what the engine asked for.
 *
 * @param attempt the attempt that failed, from 1
 * @param spread a random factor around 1, so that callers do not come back all at once
 */
export const backoffMs = (
  policy: RetryPolicy,
  { attempt, retryAfterMs, spread }: { attempt: number; retryAfterMs: number | null; spread: number },
): number => {
  const delay = Math.min(policy.longestDelayMs, policy.firstDelayMs * 2 ** (attempt - 1)) * spread;
  return (retryAfterMs ?? 0) + delay;
};

/**
 * Value of a `Retry-After` header in milliseconds, five minutes at most; null if there is none that can be read.
 *
 * @param now milliseconds since 1970, for the form that is a date
 */
export const parseRetryAfterMs = (value: unknown, now: number): number | null => {
  if (typeof value !== 'string' || value.trim() === '') return null;
  const ms = /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now;
  return Number.isNaN(ms) ? null : Math.min(LONGEST_RETRY_AFTER_MS, Math.max(0, ms));
};
