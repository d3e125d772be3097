import { isGateClosed, type PolicyWatch } from '@app/pools';
import { OpenAiError } from '../errors/openai-error';

/** Longest pause that a refused client is told, in seconds. */
const RETRY_AFTER_SECONDS = 10;

/** The update gate as this replica sees it: with the last known state while NATS is away. */
export class Gate {
  constructor(private readonly policy: PolicyWatch) {}

  get isClosed(): boolean {
    return isGateClosed(this.policy.current, Date.now());
  }

  /** @throws OpenAiError 503 with Retry-After while weights are being updated. */
  assertOpen(): void {
    if (!this.isClosed) return;
    const { until } = this.policy.current.gate;
    const left = until === undefined ? RETRY_AFTER_SECONDS : Math.ceil((until - Date.now()) / 1000);
    const message = 'the model is being updated, try again shortly';
    throw new OpenAiError(503, 'weight_update', message, {
      detail: 'submission paused for weight update',
      retryAfterSeconds: Math.min(RETRY_AFTER_SECONDS, Math.max(1, left)),
    });
  }
}
