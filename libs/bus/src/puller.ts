import { createInbox, type Msg, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { ConsumerDefinition } from '@app/contracts';
import { isDelivered } from './delivered';
import { UnansweredError } from './errors';

/** How long the server waits for messages, in milliseconds. */
export const PULL_EXPIRES_MS = 1000;
/** How much longer its word may take. */
const WORD_MS = 1000;

const NANOS_PER_MS = 1_000_000;
/** The server's words for a pull that has come to its end with fewer messages than asked for. */
const ENDS = new Set([404, 408]);

interface Pull {
  readonly inbox: string;
  /** Messages that may still come. */
  open: number;
  readonly end: (error?: Error) => void;
}

/**
 * Asks for messages of a durable consumer, one pull after the other, all of them over one inbox. The client's own `fetch` sets
 * up an inbox, a subscription, two iterators and two timers for each, and has them taken down again.
 */
export class Puller {
  private readonly inbox: string;
  private readonly route: string;
  private readonly subscription: Subscription;
  private count = 0;
  private pull: Pull | null = null;

  /** @param inboxPrefix where this app may listen for replies */
  constructor(
    private readonly nc: NatsConnection,
    { stream, durable }: ConsumerDefinition,
    { inboxPrefix, onMessage }: { readonly inboxPrefix: string; readonly onMessage: (message: Msg) => void },
  ) {
    this.inbox = createInbox(inboxPrefix);
    this.route = `$JS.API.CONSUMER.MSG.NEXT.${stream}.${durable}`;
    this.subscription = nc.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error !== null) this.pull?.end(error);
        else if (isDelivered(message)) this.take(message, onMessage);
        else this.hear(message);
      },
    });
  }

  /**
   * Asks for up to `most` messages. Resolves when they have come, or the time is up.
   *
   * @throws UnansweredError if the server does not know the consumer, or says nothing: it has to be declared anew
   */
  async ask(most: number): Promise<void> {
    const inbox = `${this.inbox}.${(this.count++).toString(36)}`;
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error): void => {
        clearTimeout(timer);
        this.pull = null;
        if (error === undefined) resolve();
        else reject(error);
      };
      const timer = setTimeout(() => {
        end(new UnansweredError(`${this.route} was not answered`));
      }, PULL_EXPIRES_MS + WORD_MS);
      this.pull = { inbox, open: most, end };
      const request = { batch: most, expires: PULL_EXPIRES_MS * NANOS_PER_MS };
      this.nc.publish(this.route, JSON.stringify(request), { reply: inbox });
    });
  }

  /** The connection is lost or closed: no answer will come to what was asked. */
  fail(): void {
    this.pull?.end(new UnansweredError(`the connection was lost before ${this.route} was answered`));
  }

  close(): void {
    this.fail();
    this.subscription.unsubscribe();
  }

  private take(message: Msg, onMessage: (message: Msg) => void): void {
    onMessage(message);
    // One that comes late, of a pull that was given up, counts here as well: its slot is taken all the same.
    if (this.pull === null) return;
    this.pull.open -= 1;
    if (this.pull.open === 0) this.pull.end();
  }

  private hear({ subject, headers }: Msg): void {
    if (this.pull?.inbox !== subject) return;
    const code = headers?.code ?? 0;
    this.pull.end(ENDS.has(code) ? undefined : new UnansweredError(`${this.route}: ${code} ${headers?.description}`));
  }
}
