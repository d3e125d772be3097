import { ClientGoneError, UpstreamTimeoutError } from '@app/engines';

/** Limits in seconds for a model's answer. */
export interface AnswerLimits {
  readonly firstByteTimeoutS: number;
  readonly idleTimeoutS: number;
}

/** Who keeps everybody waiting, and with what. */
type Phase = 'first_byte' | 'idle' | 'client';

const reasonOf = (phase: Phase, seconds: number): Error =>
  phase === 'client'
    ? new ClientGoneError(`the client took nothing for ${seconds} s`)
    : new UpstreamTimeoutError(phase, seconds);

/** Aborts a request whose answer does not begin, or stops for too long, or is not taken by its client. */
export class Watchdog {
  private phase: Phase = 'first_byte';
  private timer: NodeJS.Timeout;

  constructor(
    private readonly abort: AbortController,
    private readonly limits: AnswerLimits,
    /** Whether the model may be silent at the moment: its engine stands while its weights are changed. */
    private readonly isExcused: () => boolean = () => false,
  ) {
    this.timer = this.start();
  }

  /** A piece of the answer has come, or the client takes pieces again: the model is waited for. */
  feed(): void {
    this.enter('idle');
  }

  /** The client takes nothing at the moment: it is not the model that is waited for. */
  waitForClient(): void {
    this.enter('client');
  }

  stop(): void {
    clearTimeout(this.timer);
  }

  private enter(phase: Phase): void {
    if (phase === this.phase) {
      this.timer.refresh();
      return;
    }
    this.phase = phase;
    clearTimeout(this.timer);
    this.timer = this.start();
  }

  private start(): NodeJS.Timeout {
    const { phase } = this;
    const seconds = phase === 'first_byte' ? this.limits.firstByteTimeoutS : this.limits.idleTimeoutS;
    return setTimeout(() => {
      if (phase !== 'client' && this.isExcused()) this.timer = this.start();
      else this.abort.abort(reasonOf(phase, seconds));
    }, seconds * 1000);
  }
}
