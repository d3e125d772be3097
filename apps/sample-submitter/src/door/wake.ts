import { setTimeout as sleep } from 'node:timers/promises';

/** Something that waiters sleep on until somebody says that things have changed. */
export class Wake {
  private readonly waiters = new Set<() => void>();

  /** Wakes everybody who waits now. */
  notify(): void {
    const waiters = [...this.waiters];
    this.waiters.clear();
    for (const waiter of waiters) waiter();
  }

  /** The next `notify` from now on: taken before looking, so that nothing in between is missed. */
  next(): Promise<void> {
    return new Promise((resolve) => this.waiters.add(resolve));
  }
}

/** Resolves with `change`, after `millis`, or when `signal` is aborted, whatever comes first. */
export const sleepUntil = async (change: Promise<void>, millis: number, signal: AbortSignal): Promise<void> => {
  const done = new AbortController();
  const timer = sleep(millis, undefined, { signal: AbortSignal.any([signal, done.signal]) }).catch(() => undefined);
  await Promise.race([change, timer]);
  done.abort();
};
