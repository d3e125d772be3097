import { UpstreamTimeoutError } from '@app/engines';

/** Limits in seconds for a model's answer. */
export interface AnswerLimits {
  readonly firstByteTimeoutS: number;
  readonly idleTimeoutS: number;
}

/** Aborts a request whose answer does not begin, or stops for too long. */
export class Watchdog {
  private timer: NodeJS.Timeout;
  private begun = false;

  constructor(
    private readonly abort: AbortController,
    private readonly limits: AnswerLimits,
  ) {
    this.timer = this.start('first_byte', limits.firstByteTimeoutS);
  }

  /** A piece of the answer has come. */
  feed(): void {
    if (this.begun) {
      this.timer.refresh();
      return;
    }
    this.begun = true;
    clearTimeout(this.timer);
    this.timer = this.start('idle', this.limits.idleTimeoutS);
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private start(phase: 'first_byte' | 'idle', seconds: number): NodeJS.Timeout {
    return setTimeout(() => {
      this.abort.abort(new UpstreamTimeoutError(phase, seconds));
    }, seconds * 1000);
  }
}
