import { BUCKETS } from '@app/contracts';
import type { Bus } from '@app/bus';
import { ServerClock } from './server-clock';
import { INITIAL_POLICY_STATE, parsePolicyState, POLICY_KEY, type PolicyState } from './policy-state';

const REPAIR_PAUSE_MS = 250;

/**
 * Follows the policy state. Right after a loss of NATS it keeps the last state; the watch repairs itself.
 */
export class PolicyWatch {
  private state: PolicyState = INITIAL_POLICY_STATE;
  private known = false;
  private whenRead: (() => void)[] = [];
  private stopped = false;
  private stopIterator: (() => void) | null = null;

  private readonly clock = new ServerClock();
  private readonly listeners = new Set<(state: PolicyState) => void>();

  constructor(private readonly bus: Bus) {}

  /** Calls `listener` with the state at every change, also at the first one that is read. Returns what ends that. */
  onChange(listener: (state: PolicyState) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /** The server's clock, milliseconds since 1970, as the last change that was seen told it; this machine's before. */
  now(): number {
    return this.clock.now();
  }

  get current(): PolicyState {
    return this.state;
  }

  /** Whether the state has been read once; before that `current` is only what a new store begins with. */
  get isKnown(): boolean {
    return this.known;
  }

  /** Resolves once the state has been read, or after `timeoutMs`. */
  async whenKnown(timeoutMs: number): Promise<void> {
    if (this.known) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.whenRead.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  /** Follows until `stop`. Resolves when following has ended. */
  async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch {
        // The bus went away while the watch was being set up, or the bucket: again, once it is back.
      }
      await new Promise((resolve) => setTimeout(resolve, REPAIR_PAUSE_MS));
    }
  }

  stop(): void {
    this.stopped = true;
    this.stopIterator?.();
  }

  private async follow(): Promise<void> {
    const bucket = await this.bus.bucket(BUCKETS.policy);
    const updates = await bucket.watch({ key: POLICY_KEY });
    this.stopIterator = () => {
      updates.stop();
    };
    if (this.stopped) updates.stop();
    // A watch repairs itself, but not on a store that was emptied: its numbers begin anew.
    void this.bus.connection.whenLost().then(() => {
      updates.stop();
    });
    // The watch says nothing about a key that nobody has written yet.
    if ((await bucket.get(POLICY_KEY)) === null) this.markKnown();
    for await (const entry of updates) {
      if (this.stopped) return;
      if (entry.operation !== 'PUT') continue;
      const seenAt = Date.now();
      // What stood there already was stamped some time ago.
      if (entry.isUpdate) this.clock.learn({ sentAt: seenAt, seenAt, stampedAt: entry.created.getTime() });
      this.state = parsePolicyState(entry.json());
      this.markKnown();
      for (const listener of this.listeners) listener(this.state);
    }
  }

  private markKnown(): void {
    this.known = true;
    for (const resolve of this.whenRead.splice(0)) resolve();
  }
}
