import { isGateClosed } from './policy-state';
import type { PolicyWatch } from './policy-watch';

/** The longest that a timer can wait. */
const LONGEST_MS = 0x7fffffff;

/**
 * The update gate as this replica sees it. While NATS is away it is the last known state, until the lease of the update would
 * have ended. Who waits goes on in the order of coming.
 */
export class GateWatch {
  private readonly waiting = new Set<() => void>();
  private timer: NodeJS.Timeout | null = null;
  private closed = 0;
  private lastToken: string | undefined;

  constructor(protected readonly policy: Pick<PolicyWatch, 'current' | 'now' | 'onChange'>) {
    policy.onChange(({ gate }) => {
      const token = gate.update?.token;
      if (token !== undefined && token !== this.lastToken) this.closed += 1;
      this.lastToken = token;
      this.letIn();
    });
  }

  get isClosed(): boolean {
    return isGateClosed(this.policy.current, this.policy.now());
  }

  /** Who waits for it now. */
  get held(): number {
    return this.waiting.size;
  }

  /** How often it was seen to close. */
  get closings(): number {
    return this.closed;
  }

  /** Token of the update under way. */
  get token(): string | undefined {
    return this.policy.current.gate.update?.token;
  }

  /** Resolves once it is open; rejects with the signal's reason. */
  async whenOpen(signal: AbortSignal): Promise<void> {
    while (this.isClosed && !signal.aborted) await this.turn(signal, LONGEST_MS);
    signal.throwIfAborted();
  }

  /** Resolves when the gate may be open, after `millis`, or when the signal is aborted. */
  protected turn(signal: AbortSignal, millis: number): Promise<void> {
    this.watchLease();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, Math.min(millis, LONGEST_MS));
      signal.addEventListener('abort', done, { once: true });
      this.waiting.add(done);
    });
  }

  /** The gate opens by itself when the lease of the update ends. */
  private watchLease(): void {
    const { until } = this.policy.current.gate;
    if (until === undefined || this.timer !== null) return;
    this.timer = setTimeout(
      () => {
        this.timer = null;
        this.letIn();
        if (this.waiting.size > 0) this.watchLease();
      },
      Math.min(LONGEST_MS, Math.max(1, until - this.policy.now())),
    );
    this.timer.unref();
  }

  private letIn(): void {
    if (this.isClosed) return;
    for (const resolve of [...this.waiting]) resolve();
  }
}
