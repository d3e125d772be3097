import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Msg, Subscription } from '@nats-io/transport-node';
import { Bus } from '@app/bus';
import { EraseSession } from '@app/contracts';
import { SessionEraser } from './session-eraser';

const QUEUE = 'sample-submitter';

/** Answers requests to erase a session; one replica does each. A failure is not answered, so that the client sees it. */
@Injectable()
export class EraseResponder implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('erase');
  private subscription: Subscription | null = null;

  constructor(
    private readonly bus: Bus,
    private readonly eraser: SessionEraser,
  ) {}

  onApplicationBootstrap(): void {
    void this.listen();
  }

  beforeApplicationShutdown(): void {
    this.subscription?.unsubscribe();
  }

  private async listen(): Promise<void> {
    const { nc } = await this.bus.connection.whenOpen();
    this.subscription = nc.subscribe(EraseSession.subject, { queue: QUEUE });
    for await (const message of this.subscription) await this.answer(message);
  }

  private async answer(message: Msg): Promise<void> {
    try {
      const { session } = EraseSession.decodeRequest(message.string());
      message.respond(EraseSession.encodeReply(await this.eraser.erase(session)));
    } catch (error) {
      this.logger.error(`a session was not erased: ${String(error)}`);
    }
  }
}
