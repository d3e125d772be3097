import type { NatsConnection } from '@nats-io/transport-node';
import { JetStreamApiError } from '@nats-io/jetstream';
import type { KV } from '@nats-io/kv';
import {
  DeadLetter,
  isSubjectToken,
  type BucketDefinition,
  type ConsumerDefinition,
  type EncodedMessage,
  type FrameArrays,
  type MessageDefinition,
  type StreamName,
  type WireMessage,
} from '@app/contracts';
import { errorName } from '@app/telemetry';
import { NO_TRACER, type Tracer } from '@app/tracing';
import type { Static, TObject, TSchema } from '@sinclair/typebox';
import type { BusOptions, PublishResult, Subscription } from './bus-options';
import { Connection, type Session } from './connection';
import type { Delivery } from './delivered';
import { publishSpan, workSpan } from './message-spans';
import { Documents, type DocumentSource, type DocumentsOptions } from './document';
import { BusUnavailableError, isRetryable, MessageTooLargeError } from './errors';
import type { ReadQuery } from './reader';
import { scanHeaders, scanInfos, type ScannedInfo, type ScanOptions } from './scan';
import { backlogOf, newestIn, removeFrom, settledThrough, type Backlog } from './store-state';
import { declareConsumer, declareStore } from './topology';
import { Worker } from './worker';

/** The server's answer when a subject already holds a message: somebody was first. */
const SUBJECT_TAKEN = 10071;
/** Sequence of the last message on a subject that holds none. */
const NOTHING_YET = 0;
/** Where ids begin in a subject: rl.turn.judged.v1.<turn id>. */
const SUBJECT_IDS = 4;
/** Room for the headers of a message beside its info: their names, the guard, the trace. */
const HEADER_BYTES = 256;
const WAIT_FOR_SERVER_MS = 10_000;
const MOST_TRIES = 3;

interface TracedMessage extends EncodedMessage {
  readonly trace: string | undefined;
}

/**
 * JetStream for the apps: guarded publishing, reading by subject, consuming, compare-and-set documents.
 * A message is its own guard: it is published with "nothing on this subject yet", so retries and second replicas are harmless.
 */
export class Bus {
  readonly connection: Connection;
  private readonly tracer: Tracer;
  private readonly workers: Worker[] = [];
  private readonly consumers: ConsumerDefinition[] = [];
  private store: Promise<void> | null = null;
  /** The connection, once streams and buckets exist there, for as long as it holds. */
  private prepared: Session | null = null;

  constructor(private readonly options: BusOptions) {
    this.tracer = options.tracer ?? NO_TRACER;
    this.connection = new Connection({
      url: options.url,
      name: options.app,
      onStatus: (connected) => {
        // The server may come back with another store.
        this.store = null;
        this.prepared = null;
        options.onStatus?.(connected);
      },
      onRefused: options.onRefused,
    });
  }

  get isUp(): boolean {
    return this.connection.isUp;
  }

  /** Resolves when the server has been reached and streams and buckets exist. */
  async ready(): Promise<void> {
    await this.prepare(await this.connection.whenOpen());
  }

  /** Publishes a message once. @throws BusUnavailableError, MessageTooLargeError, MessageShapeError. */
  async publish<Info extends TObject, Head extends TSchema>(
    definition: MessageDefinition<Info, Head>,
    tokens: readonly string[],
    content: { info: Static<Info>; head: Static<Head>; arrays?: FrameArrays },
  ): Promise<PublishResult> {
    return this.publishEncoded(definition.encode(tokens, content.info, content.head, content));
  }

  async publishEncoded(message: EncodedMessage): Promise<PublishResult> {
    const { tracer } = this;
    const publish = (): Promise<PublishResult> => {
      const traced = { ...message, trace: tracer.traceparent };
      return this.insist(`publishing to ${message.subject}`, (session) => this.publishOnce(session, traced));
    };
    return tracer.isRunning ? tracer.span(...publishSpan(message), publish) : publish();
  }

  /** Reads a message by its subject, or null if it was never stored or is no longer kept. */
  async read<Info extends TObject, Head extends TSchema>(
    definition: MessageDefinition<Info, Head>,
    ...tokens: readonly string[]
  ): Promise<ReturnType<MessageDefinition<Info, Head>['decode']> | null> {
    const message = await this.readWire(definition.stream, { last_by_subj: definition.subject(...tokens) });
    return message === null ? null : definition.decode(message);
  }

  /** Reads a message by its sequence in its stream, or null if it is no longer kept. */
  async readAt(stream: StreamName, sequence: number): Promise<WireMessage | null> {
    return this.readWire(stream, { seq: sequence });
  }

  /** Starts to consume. Returns the worker; `close` stops it as well. */
  consume(subscription: Subscription): Worker {
    const { handle } = subscription;
    const worker = new Worker(this.connection, () => this.declare(subscription.consumer), {
      ...subscription,
      handle: (delivery) => this.tracer.span(...workSpan(delivery), () => handle(delivery)),
      onError: (delivery, error) => this.options.onHandlerError?.(delivery, error),
      onDead: (delivery, error) => this.bury(subscription, delivery, error),
    });
    this.workers.push(worker);
    this.consumers.push(subscription.consumer);
    return worker;
  }

  /** How far behind this app's consumers are, all replicas together. @throws BusUnavailableError while the server is away. */
  async backlogs(): Promise<readonly Backlog[]> {
    const { jsm } = this.connection.current();
    return Promise.all(this.consumers.map((consumer) => backlogOf(jsm, consumer)));
  }

  /** @throws BusUnavailableError @see settledThrough */
  async settledThrough(consumer: ConsumerDefinition): Promise<number | null> {
    return settledThrough(this.connection.current().jsm, consumer);
  }

  /** @throws BusUnavailableError @see newestIn */
  async newestIn(stream: StreamName): Promise<number> {
    return newestIn(this.connection.current().jsm, stream);
  }

  /** @throws BusUnavailableError while the server is away. @see removeFrom */
  async remove(stream: StreamName, subject: string): Promise<boolean> {
    return removeFrom(this.connection.current().jsm, stream, subject);
  }

  /** The infos of a stream's messages in order, without bodies: from `startSequence` up to the newest at call time. */
  scan(stream: StreamName, options?: ScanOptions): AsyncIterable<ScannedInfo> {
    return scanInfos(this.connection.current(), stream, options);
  }

  /** @throws BusUnavailableError */
  async bucket(definition: BucketDefinition): Promise<KV> {
    try {
      const { kvm } = await this.session();
      return await kvm.open(definition.name);
    } catch (cause) {
      throw new BusUnavailableError(`bucket ${definition.name} could not be opened`, { cause });
    }
  }

  async documents<Value>(
    definition: BucketDefinition,
    parse: (value: unknown) => Value,
    options?: DocumentsOptions,
  ): Promise<Documents<Value>> {
    const { name } = definition;
    const store: DocumentSource = {
      bucket: await this.bucket(definition),
      write: async (key, json, revision) =>
        (this.prepared ?? (await this.session())).publisher.publish({
          subject: `$KV.${name}.${key}`,
          data: json,
          after: revision,
        }),
      scan: (filter, startSequence) =>
        scanHeaders(this.connection.current(), `KV_${name}`, {
          filter: `$KV.${name}.${filter}`,
          startSequence,
          resumes: true,
        }),
    };
    return new Documents(store, parse, options);
  }

  /** The raw connection, for core request and reply. @throws BusUnavailableError while the server is away. */
  core(): NatsConnection {
    return this.connection.current().nc;
  }

  /** Stops intake, finishes what is in hand, then closes the connection. */
  async close(): Promise<void> {
    await Promise.all(this.workers.map((worker) => worker.stop()));
    await this.connection.close();
  }

  /** A live connection to a store that is prepared. */
  private async session(): Promise<Session> {
    return this.prepare(await this.connection.whenUp(WAIT_FOR_SERVER_MS));
  }

  /** Declares streams and buckets, once for as long as the connection holds. */
  private async prepare(session: Session): Promise<Session> {
    const store = (this.store ??= declareStore(session, this.options));
    try {
      await store;
      if (this.store === store) this.prepared = session;
      return session;
    } catch (error) {
      if (this.store === store) this.store = null;
      throw error;
    }
  }

  private async publishOnce(session: Session, message: TracedMessage): Promise<PublishResult> {
    const limit = session.nc.info?.max_payload ?? Infinity;
    const size = message.data.byteLength + Buffer.byteLength(message.info) + HEADER_BYTES;
    if (size > limit) {
      throw new MessageTooLargeError(
        `message ${message.subject} has ${size} bytes, the server takes ${limit}: raise max_payload in deploy/nats.conf`,
      );
    }
    try {
      await session.publisher.publish({ ...message, after: NOTHING_YET });
      this.options.onStored?.(message.subject);
      return 'stored';
    } catch (error) {
      if (error instanceof JetStreamApiError && error.code === SUBJECT_TAKEN) return 'exists';
      throw error;
    }
  }

  private async readWire(stream: StreamName, query: ReadQuery): Promise<WireMessage | null> {
    return this.insist(`reading from ${stream}`, ({ reader }) => reader.read(stream, query));
  }

  /** Asks the server, and again where its word did not come: what is guarded or only read may be asked for more than once. */
  private async insist<Result>(what: string, ask: (session: Session) => Promise<Result>): Promise<Result> {
    let failure: unknown;
    for (let attempt = 0; attempt < MOST_TRIES; attempt += 1) {
      try {
        return await ask(this.prepared ?? (await this.session()));
      } catch (error) {
        if (error instanceof MessageTooLargeError) throw error;
        failure = error;
        if (error instanceof BusUnavailableError) break;
      }
    }
    if (isRetryable(failure)) throw failure;
    throw new BusUnavailableError(`${what} failed`, { cause: failure });
  }

  private async declare(consumer: ConsumerDefinition): Promise<void> {
    const { jsm } = await this.session();
    await declareConsumer(jsm, consumer);
  }

  private async bury(subscription: Subscription, delivery: Delivery, error: unknown): Promise<void> {
    const id = `${subscription.consumer.stream}-${delivery.sequence}`;
    await this.publish(DeadLetter, [this.options.app, id], {
      info: {
        app: this.options.app,
        subject: delivery.subject,
        deliveries: delivery.deliveries,
        error: errorName(error),
        at: Date.now(),
      },
      head: {},
    });
    // A subject that we cannot have made is of no turn: there is nothing to settle.
    if (delivery.subject.split('.').slice(SUBJECT_IDS).every(isSubjectToken)) await subscription.settleDead?.(delivery);
  }
}
