import { Server, type CustomTransportStrategy } from '@nestjs/microservices';
import { errorName } from '@app/telemetry';
import type { Msg, NatsConnection, Subscription } from '@nats-io/transport-node';
import { lastValueFrom } from 'rxjs';
import type { Bus } from './bus';

/**
 * Answers an app's `@MessagePattern` handlers over core NATS: nothing is stored, one replica of the queue answers each
 * request. Nest's own NATS transport opens a connection of its own and gives up if the server is away at the start; this
 * one shares the bus's. A handler takes and returns text; a failure is not answered, so that whoever asks sees it.
 */
export class RpcServer extends Server implements CustomTransportStrategy {
  private readonly subscriptions: Subscription[] = [];
  private closed = false;

  constructor(
    private readonly bus: Bus,
    private readonly queue: string,
  ) {
    super();
  }

  listen(callback: () => void): void {
    this.bus.connection.whenOpen().then(
      ({ nc }) => {
        if (!this.closed) for (const subject of this.getHandlers().keys()) this.subscribe(nc, subject);
      },
      // The bus was closed before it was ever open.
      () => undefined,
    );
    callback();
  }

  close(): void {
    this.closed = true;
    for (const subscription of this.subscriptions) subscription.unsubscribe();
  }

  /** There are no events to listen to: the bus tells of its connection itself. */
  on(): void {
    return undefined;
  }

  // eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- the signature is Nest's
  unwrap<Client>(): Client {
    return this.bus as Client;
  }

  private subscribe(nc: NatsConnection, subject: string): void {
    const callback = (_error: unknown, message: Msg): void => void this.answer(subject, message);
    this.subscriptions.push(nc.subscribe(subject, { queue: this.queue, callback }));
  }

  private async answer(subject: string, message: Msg): Promise<void> {
    try {
      const handler = this.getHandlerByPattern(subject);
      if (handler === null) return;
      const reply: unknown = await lastValueFrom(this.transformToObservable(await handler(message.string())));
      message.respond(String(reply));
    } catch (error) {
      this.logger.error(`${subject} was not answered: ${errorName(error)}`);
    }
  }
}
