import { createInbox, type Msg, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { UnansweredError } from './errors';

/** How long an answer may take, in milliseconds, and how often the late ones are looked for. */
const ANSWER_MS = 5000;
const LOOK_EVERY_MS = 500;

interface Waiting {
  readonly subject: string;
  readonly until: number;
  readonly resolve: (answer: Msg) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Requests over one connection. The client's own ones set up a timer, an error and several promises for each; here one inbox
 * and one timer serve all of them.
 */
export class Requests {
  private readonly waiting = new Map<string, Waiting>();
  private readonly inbox: string;
  private count = 0;
  private timer: NodeJS.Timeout | null = null;

  /** @param inboxPrefix where this app may listen for replies */
  constructor(
    private readonly nc: NatsConnection,
    inboxPrefix: string,
  ) {
    this.inbox = createInbox(inboxPrefix);
    nc.subscribe(`${this.inbox}.*`, {
      callback: (error, message) => {
        if (error === null) this.take(message);
      },
    });
  }

  /** Sends at once, and resolves with whatever comes back. @throws UnansweredError */
  ask(subject: string, data: Uint8Array | string, headers?: MsgHdrs): Promise<Msg> {
    const token = (this.count++).toString(36);
    return new Promise((resolve, reject) => {
      const reply = `${this.inbox}.${token}`;
      this.nc.publish(subject, data, headers === undefined ? { reply } : { reply, headers });
      this.waiting.set(token, { subject, until: performance.now() + ANSWER_MS, resolve, reject });
      this.timer ??= setInterval(() => {
        this.expire();
      }, LOOK_EVERY_MS);
    });
  }

  /** The connection is lost or closed: no answer will come to what was sent. */
  fail(): void {
    for (const { subject, reject } of this.waiting.values()) {
      reject(new UnansweredError(`the connection was lost before ${subject} was answered`));
    }
    this.waiting.clear();
    this.rest();
  }

  private take(message: Msg): void {
    const token = message.subject.slice(this.inbox.length + 1);
    const waiting = this.waiting.get(token);
    if (waiting === undefined) return;
    this.waiting.delete(token);
    waiting.resolve(message);
  }

  /** In order of asking, so that the first one in time ends the look. */
  private expire(): void {
    const now = performance.now();
    for (const [token, { subject, until, reject }] of this.waiting) {
      if (until > now) break;
      this.waiting.delete(token);
      reject(new UnansweredError(`${subject} was not answered within ${ANSWER_MS} ms`));
    }
    this.rest();
  }

  private rest(): void {
    if (this.waiting.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
