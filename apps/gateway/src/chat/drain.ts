import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Outbox } from '../capture/outbox';
import { ChatLoad } from './chat-load';

/**
 * How long running answers, and they and captured turns together, may take at a shutdown, in milliseconds. A publish that
 * lost its answer with the server is sent again after 5 s: what answers leave of the time is the turns'.
 */
const ANSWERS_MS = 15_000;
const ALL_MS = 19_000;

/** At a shutdown: no new chats, the running ones finish, what was captured is sent. */
@Injectable()
export class Drain implements BeforeApplicationShutdown {
  private readonly logger = new Logger('gateway');

  constructor(
    private readonly load: ChatLoad,
    private readonly outbox: Outbox,
  ) {}

  async beforeApplicationShutdown(): Promise<void> {
    const end = performance.now() + ALL_MS;
    const running = this.load.close();
    if (running > 0) this.logger.log(`shutting down: waiting for ${running} running answers`);
    await this.load.finished(ANSWERS_MS);
    await this.outbox.flush(end - performance.now());
    if (this.outbox.size > 0) this.logger.warn(`${this.outbox.size} captured bytes could not be sent`);
  }
}
