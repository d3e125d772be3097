import type { Tracer } from '@app/tracing';
import type { Delivery } from './delivered';
import type { TopologyOptions } from './topology';
import type { WorkerOptions } from './worker';

export interface BusOptions extends TopologyOptions {
  readonly url: string;
  /** Name of the app, for the server's monitoring and for dead letters. */
  readonly app: string;
  /** Traces what is published inside of a span, and work on what was. */
  readonly tracer?: Tracer;
  readonly onStatus?: (connected: boolean) => void;
  readonly onRefused?: (reason: string) => void;
  /** Told of the subject of every message that this process has stored. */
  readonly onStored?: (subject: string) => void;
  /** Told of every failed delivery: subject, delivery count and error, never a message's text. */
  readonly onHandlerError?: (delivery: Delivery, error: unknown) => void;
}

/** `stored`: this call stored the message. `exists`: its subject already held one, which stands. */
export type PublishResult = 'stored' | 'exists';

/** Work of one durable consumer; `settleDead` settles the turn of a message that is given up. */
export interface Subscription extends Omit<WorkerOptions, 'onDead' | 'onError'> {
  readonly settleDead?: (delivery: Delivery) => Promise<void>;
}
