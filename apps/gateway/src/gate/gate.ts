import { GateWatch, type PolicyWatch, type Runner } from '@app/pools';
import { OpenAiError } from '../errors/openai-error';

/** Longest pause that a refused client is told, in seconds. */
const RETRY_AFTER_SECONDS = 10;
const MS = 1000;

/** How a request's wait at the gate ended. */
export type WaitEnd = 'served' | 'refused' | 'gone';

/** What the gate tells of itself. */
export interface GateObserver {
  readonly onWaited?: (end: WaitEnd, seconds: number) => void;
  readonly onNewWeights?: (seconds: number) => void;
}

/** The update gate for requests: they wait in their order, and not for ever. */
export class Gate extends GateWatch implements Runner {
  private inside = 0;
  private version: number | null = null;
  private risenAt: number | null = null;

  constructor(
    policy: Pick<PolicyWatch, 'current' | 'now' | 'onChange'>,
    private readonly observer: GateObserver = {},
  ) {
    super(policy);
    policy.onChange(({ version }) => {
      if (this.version !== null && version > this.version) this.risenAt = performance.now();
      this.version = version;
    });
  }

  /** The policy version that serves. */
  get policyVersion(): number {
    return this.policy.current.version;
  }

  /** Requests that have passed and not left. */
  get running(): number {
    return this.inside;
  }

  /** Lets a request pass, once the gate is open. It has to `leave`. @throws OpenAiError 503 with Retry-After past `holdMs` */
  async enter(client: AbortSignal, holdMs: number): Promise<void> {
    if (this.isClosed) await this.wait(client, holdMs);
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
  }

  /** A piece of an answer has come: the first one of new weights shows how long they took to be heard. */
  noteAnswer(): void {
    if (this.risenAt === null) return;
    this.observer.onNewWeights?.((performance.now() - this.risenAt) / MS);
    this.risenAt = null;
  }

  private async wait(client: AbortSignal, holdMs: number): Promise<void> {
    const startedAt = performance.now();
    const waited = (): number => performance.now() - startedAt;
    while (this.isClosed && waited() < holdMs && !client.aborted) await this.turn(client, holdMs - waited());
    const end = client.aborted ? 'gone' : this.isClosed ? 'refused' : 'served';
    this.observer.onWaited?.(end, waited() / MS);
    if (end === 'gone') throw new OpenAiError(499, 'client_gone', 'the client did not wait for the weight update');
    if (end === 'refused') throw this.refusal();
  }

  private refusal(): OpenAiError {
    const { until } = this.policy.current.gate;
    const left = until === undefined ? RETRY_AFTER_SECONDS : Math.ceil((until - this.policy.now()) / MS);
    return new OpenAiError(503, 'weight_update', 'the model is being updated, try again shortly', {
      detail: 'submission paused for weight update',
      retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS, Math.max(1, left)),
    });
  }
}
