import { BUCKETS } from '@app/contracts';
import { BusUnavailableError, ContentionError, type Bus, type Documents } from '@app/bus';
import { LeaseError } from './lease-error';
import type { Change } from './leases';
import { INITIAL_POLICY_STATE, parsePolicyState, POLICY_KEY, PolicyStateError, type PolicyState } from './policy-state';
import { ServerClock } from './server-clock';

const WAIT_FOR_SERVER_MS = 2000;

/** The policy state in its bucket: every change is read, pure function, compare-and-set. */
export class PolicyStore {
  private readonly clock = new ServerClock();
  private documents: Promise<Documents<PolicyState>> | null = null;

  constructor(private readonly bus: Bus) {}

  /** The server's clock, milliseconds since 1970; this machine's until the first change. */
  now(): number {
    return this.clock.now();
  }

  /** @throws BusUnavailableError */
  async read(): Promise<PolicyState> {
    return this.change((state) => ({ state, result: state }));
  }

  /**
   * Applies a pure change, given the state and the server's time; again if somebody else was faster.
   * @throws BusUnavailableError, ContentionError, PolicyStateError, and what `change` throws, if it is a LeaseError
   */
  async change<Result>(change: (state: PolicyState, now: number) => Change<Result>): Promise<Result> {
    try {
      return await this.write(await this.open(), change);
    } catch (error) {
      if (error instanceof LeaseError || error instanceof ContentionError || error instanceof PolicyStateError)
        throw error;
      if (error instanceof BusUnavailableError) throw error;
      throw new BusUnavailableError('the policy state could not be read or written', { cause: error });
    }
  }

  private async write<Result>(
    documents: Documents<PolicyState>,
    change: (state: PolicyState, now: number) => Change<Result>,
  ): Promise<Result> {
    const attempt: { sentAt: number | null } = { sentAt: null };
    const result = await documents.update(POLICY_KEY, (stored) => {
      const current = stored ?? INITIAL_POLICY_STATE;
      const { state, result: answer } = change(current, this.clock.now());
      const isChanged = state !== current;
      attempt.sentAt = isChanged ? Date.now() : null;
      return { next: isChanged ? state : null, result: answer };
    });
    if (attempt.sentAt !== null) await this.learn(documents, attempt.sentAt);
    return result;
  }

  private async learn(documents: Documents<PolicyState>, sentAt: number): Promise<void> {
    // The write is done; a clock that could not be read is no failure.
    const stored = await documents.get(POLICY_KEY).catch(() => null);
    if (stored !== null) this.clock.learn({ sentAt, stampedAt: stored.writtenAt, seenAt: Date.now() });
  }

  private async open(): Promise<Documents<PolicyState>> {
    await this.bus.connection.whenUp(WAIT_FOR_SERVER_MS);
    this.documents ??= this.firstOpen();
    return this.documents.catch((error: unknown) => {
      this.documents = null;
      throw error;
    });
  }

  private async firstOpen(): Promise<Documents<PolicyState>> {
    const documents = await this.bus.documents(BUCKETS.policy, parsePolicyState);
    // Writing the state as it is tells the server's time before the first decision that depends on it.
    await this.write(documents, (state) => ({ state: { ...state }, result: undefined }));
    return documents;
  }
}
