import { BUCKETS } from '@app/contracts';
import type { Bus } from '@app/bus';
import { INITIAL_POLICY_STATE, parsePolicyState, POLICY_KEY, type PolicyState } from './policy-state';

/**
 * Follows the policy state. Right after a loss of NATS it keeps the last state; the watch repairs itself.
 */
export class PolicyWatch {
  private state: PolicyState = INITIAL_POLICY_STATE;
  private stopped = false;
  private stopIterator: (() => void) | null = null;

  constructor(
    private readonly bus: Bus,
    private readonly onChange: (state: PolicyState) => void = () => undefined,
  ) {}

  get current(): PolicyState {
    return this.state;
  }

  /** Follows until `stop`. Resolves when following has ended. */
  async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.follow();
      } catch {
        // The bus went away while the watch was being set up: again, once it is back.
        await new Promise((resolve) => setTimeout(resolve, 250));
      }
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
    for await (const entry of updates) {
      if (this.stopped) return;
      if (entry.operation !== 'PUT') continue;
      this.state = parsePolicyState(entry.json());
      this.onChange(this.state);
    }
  }
}
