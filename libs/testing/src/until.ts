/** Thrown when a condition does not come true within its time. `what` names the condition in the test's own words. */
export class ConditionTimeoutError extends Error {
  override readonly name = 'ConditionTimeoutError';

  constructor(
    readonly what: string,
    readonly timeoutMs: number,
    options?: ErrorOptions,
  ) {
    super(
      `Not reached within ${timeoutMs} ms: ${what}. Look at what should have caused it, or raise timeoutMs.`,
      options,
    );
  }
}

export interface UntilOptions {
  /** What is waited for; the text of the failure. */
  what: string;
  /** Upper bound in milliseconds. @default 15000 */
  timeoutMs?: number;
  /** Pause between two looks in milliseconds. @default 10 */
  everyMs?: number;
}

type Falsy = false | null | undefined | 0 | '';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Looks at `condition` until it gives something truthy, and returns that. A condition that throws counts as "not yet";
 * its last error is the `cause` of the `ConditionTimeoutError`. The only helper of the tests that waits by a timer.
 */
export async function until<T>(
  condition: () => T | Promise<T>,
  { what, timeoutMs = 15_000, everyMs = 10 }: UntilOptions,
): Promise<Exclude<T, Falsy>> {
  const end = performance.now() + timeoutMs;
  let cause: unknown;
  for (;;) {
    try {
      const value = await condition();
      if (value) return value as Exclude<T, Falsy>;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= end) throw new ConditionTimeoutError(what, timeoutMs, { cause });
    await pause(everyMs);
  }
}
