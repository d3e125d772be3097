import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import { Telemetry } from '@app/telemetry';
import { OpenAiError } from '../errors/openai-error';

/** The chats that are running: how many there may be, how many there are, when there are none. */
@Injectable()
export class ChatLoad {
  private inFlight = 0;
  private closing = false;
  private whenIdle: (() => void) | null = null;

  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {
    const { chatInFlight } = telemetry.metrics;
    telemetry.readBeforeExport(() => {
      chatInFlight.set(this.inFlight);
    });
  }

  /** @throws OpenAiError 503 at a shutdown, 429 where enough are running */
  async run(serve: () => Promise<void>): Promise<void> {
    if (this.closing) throw shuttingDown();
    if (this.inFlight >= this.settings.gateway.maxConcurrency) throw tooManyRequests();
    this.inFlight += 1;
    const elapsed = this.telemetry.metrics.chatSeconds.startTimer();
    try {
      await serve();
    } finally {
      this.inFlight -= 1;
      elapsed();
      if (this.inFlight === 0) this.whenIdle?.();
    }
  }

  /** Takes no new chat from now on; returns how many are still running. */
  close(): number {
    this.closing = true;
    return this.inFlight;
  }

  /** Resolves when no chat is running any more, or after `timeoutMs`. */
  async finished(timeoutMs: number): Promise<void> {
    if (this.inFlight === 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.whenIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

const shuttingDown = (): OpenAiError =>
  new OpenAiError(503, 'shutting_down', 'this server is shutting down, try again', { retryAfterSeconds: 1 });

const tooManyRequests = (): OpenAiError =>
  new OpenAiError(429, 'too_many_requests', 'too many requests at once, try again shortly', { retryAfterSeconds: 1 });
