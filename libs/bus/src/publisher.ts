import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import { createInbox, headers, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { INFO_HEADER } from '@app/contracts';
import { UnconfirmedError } from './errors';

const EXPECTED_LAST = 'Nats-Expected-Last-Subject-Sequence';
/** How long the server may take to confirm, in milliseconds, and how often the late ones are looked for. */
const CONFIRM_MS = 5000;
const LOOK_EVERY_MS = 500;
const NO_RESPONDERS = 503;

/** A message for a stream, stored only if its subject's last message has the sequence `after`; 0: if there is none. */
export interface GuardedMessage {
  readonly subject: string;
  readonly data: Uint8Array | string;
  readonly after: number;
  readonly info?: string;
}

interface Waiting {
  readonly subject: string;
  readonly until: number;
  readonly resolve: (sequence: number) => void;
  readonly reject: (error: Error) => void;
}

interface Answer {
  readonly seq?: number;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/**
 * Publishes to JetStream over one connection, and waits for the server's word on each message. The client's own publish sets
 * up a timer, an error and four promises for every message; here one inbox and one timer serve all of them.
 */
export class Publisher {
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

  /**
   * Resolves with the message's sequence in its stream once it is stored.
   * @throws JetStreamApiError if the server refuses it, UnconfirmedError if no word comes.
   */
  async publish({ subject, data, after, info }: GuardedMessage): Promise<number> {
    const head = headers();
    head.append(EXPECTED_LAST, String(after));
    if (info !== undefined) head.append(INFO_HEADER, info);
    const token = (this.count++).toString(36);
    return new Promise((resolve, reject) => {
      this.nc.publish(subject, data, { headers: head, reply: `${this.inbox}.${token}` });
      this.waiting.set(token, { subject, until: performance.now() + CONFIRM_MS, resolve, reject });
      this.timer ??= setInterval(() => {
        this.expire();
      }, LOOK_EVERY_MS);
    });
  }

  /** The connection is lost or closed: no word will come for what was sent. */
  fail(): void {
    for (const { subject, reject } of this.waiting.values()) {
      reject(new UnconfirmedError(`the connection was lost before ${subject} was confirmed`));
    }
    this.waiting.clear();
    this.rest();
  }

  private take(message: Msg): void {
    const token = message.subject.slice(this.inbox.length + 1);
    const waiting = this.waiting.get(token);
    if (waiting === undefined) return;
    this.waiting.delete(token);
    if (message.headers?.code === NO_RESPONDERS) {
      waiting.reject(new JetStreamError(`no stream takes ${waiting.subject}`));
      return;
    }
    const { seq, error } = message.json<Answer>();
    if (error !== undefined) waiting.reject(new JetStreamApiError(error));
    else waiting.resolve(seq ?? 0);
  }

  /** In order of publishing, so that the first one in time ends the look. */
  private expire(): void {
    const now = performance.now();
    for (const [token, { subject, until, reject }] of this.waiting) {
      if (until > now) break;
      this.waiting.delete(token);
      reject(new UnconfirmedError(`${subject} was not confirmed within ${CONFIRM_MS} ms`));
    }
    this.rest();
  }

  private rest(): void {
    if (this.waiting.size > 0 || this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
  }
}
