import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyWatch } from '@app/pools';
import { Outbox } from './outbox';

const RETRY_MS = 1000;

/**
 * How long the start waits for the policy version, so that the first turns are trained on as well; then it serves without. A server
 * that answers is waited for longer: a cluster takes its time to elect leaders and to make copies of a new store.
 */
const WAIT_FOR_SERVER_MS = 3000;
const WAIT_FOR_STORE_MS = 20_000;

/** Prepares the bus in the background: the gateway serves without it, and once it is back. */
@Injectable()
export class BusStart implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger('capture');
  private stopped = false;

  constructor(
    private readonly bus: Bus,
    private readonly policy: PolicyWatch,
    private readonly outbox: Outbox,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    void this.prepare();
    void this.policy.run();
    await this.policy.whenKnown(WAIT_FOR_SERVER_MS);
    if (this.bus.isUp) await this.policy.whenKnown(WAIT_FOR_STORE_MS);
  }

  onModuleDestroy(): void {
    this.stopped = true;
    this.policy.stop();
  }

  private async prepare(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.bus.ready();
        this.outbox.send();
        return;
      } catch (error) {
        this.logger.warn(`streams could not be declared: ${error instanceof Error ? error.message : 'unknown error'}`);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }
}
