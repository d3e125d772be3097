import { JetStreamApiError, JetStreamError } from '@nats-io/jetstream';
import { headers } from '@nats-io/transport-node';
import { INFO_HEADER, TRACE_HEADER } from '@app/contracts';
import type { Requests } from './requests';

const EXPECTED_LAST = 'Nats-Expected-Last-Subject-Sequence';
const NO_RESPONDERS = 503;

/** A message for a stream, stored only if its subject's last message has the sequence `after`; 0: if there is none. */
export interface GuardedMessage {
  readonly subject: string;
  readonly data: Uint8Array | string;
  readonly after: number;
  readonly info?: string;
  /** `traceparent` of the span that it is published in. */
  readonly trace?: string | undefined;
}

interface Answer {
  readonly seq?: number;
  readonly error?: { readonly code: number; readonly err_code: number; readonly description: string };
}

/** Publishes to JetStream, and waits for the server's word on each message. */
export class Publisher {
  constructor(private readonly requests: Requests) {}

  /**
   * Resolves with the message's sequence in its stream once it is stored.
   * @throws JetStreamApiError if the server refuses it, UnansweredError if no word comes.
   */
  async publish({ subject, data, after, info, trace }: GuardedMessage): Promise<number> {
    const head = headers();
    head.append(EXPECTED_LAST, String(after));
    if (info !== undefined) head.append(INFO_HEADER, info);
    if (trace !== undefined) head.append(TRACE_HEADER, trace);
    const reply = await this.requests.ask(subject, data, head);
    if (reply.headers?.code === NO_RESPONDERS) throw new JetStreamError(`no stream takes ${subject}`);
    const { seq, error } = reply.json<Answer>();
    if (error !== undefined) throw new JetStreamApiError(error);
    return seq ?? 0;
  }
}
