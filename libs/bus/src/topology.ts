import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  RetentionPolicy,
  StorageType,
  type ConsumerConfig,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import type { Kvm } from '@nats-io/kv';
import {
  BUCKETS,
  STREAM_NAMES,
  STREAMS,
  type BucketDefinition,
  type ConsumerDefinition,
  type StreamName,
} from '@app/contracts';

const SECOND_NS = 1_000_000_000;
const GIB = 1024 ** 3;
const DUPLICATE_WINDOW_SECONDS = 120;

/** Server answers when a stream or consumer exists with another configuration. */
const STREAM_NAME_IN_USE = 10058;
const STREAM_NOT_FOUND = 10059;
const SUBJECTS_OVERLAP = 10065;
const INSUFFICIENT_STORAGE = 10047;
const CONSUMER_EXISTS = 10148;

/** Size and copies of everything that is stored. */
export interface TopologyOptions {
  /** Disk that all streams together may use, in GiB. */
  readonly storeGb: number;
  /** Copies of every stream and bucket: 1, or 3 on a cluster. */
  readonly replicas: number;
}

const streamConfig = (name: StreamName, options: TopologyOptions): Partial<StreamConfig> & { name: string } => {
  const stream = STREAMS[name];
  return {
    name,
    subjects: [...stream.subjects],
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    max_msgs_per_subject: 1,
    allow_direct: true,
    max_age: stream.maxAgeSeconds * SECOND_NS,
    max_bytes: Math.floor(options.storeGb * GIB * stream.shareOfStore),
    duplicate_window: DUPLICATE_WINDOW_SECONDS * SECOND_NS,
    num_replicas: options.replicas,
  };
};

const isApiError = (error: unknown, code: number): boolean => error instanceof JetStreamApiError && error.code === code;

/** Of two processes that create the same stream at the same moment, the server tells one that it overlaps with itself. */
const againIfOverlapping = async (declare: () => Promise<void>): Promise<void> => {
  try {
    await declare();
  } catch (error) {
    if (!isApiError(error, SUBJECTS_OVERLAP)) throw error;
    await declare();
  }
};

/** Declares every stream and bucket. Safe from many processes at once; a changed stream is updated in place. */
export const declareStore = async (jsm: JetStreamManager, kvm: Kvm, options: TopologyOptions): Promise<void> => {
  for (const name of STREAM_NAMES) await againIfOverlapping(() => declareStream(jsm, name, options));
  for (const bucket of Object.values(BUCKETS)) {
    await againIfOverlapping(() => declareBucket(kvm, bucket, options.replicas));
  }
};

const declareStream = async (jsm: JetStreamManager, name: StreamName, options: TopologyOptions): Promise<void> => {
  const config = streamConfig(name, options);
  try {
    await jsm.streams.add(config);
  } catch (error) {
    // A server that lacks room for the stream a second time says so before it sees that the stream exists.
    if (!isApiError(error, STREAM_NAME_IN_USE) && !isApiError(error, INSUFFICIENT_STORAGE)) throw error;
    await jsm.streams.update(name, config).catch((updateError: unknown) => {
      throw isApiError(updateError, STREAM_NOT_FOUND) ? error : updateError;
    });
  }
};

const declareBucket = async (kvm: Kvm, bucket: BucketDefinition, replicas: number): Promise<void> => {
  await kvm.create(bucket.name, {
    history: bucket.history,
    ttl: bucket.ttlSeconds * 1000,
    replicas,
    storage: StorageType.File,
    allow_direct: true,
  });
};

/** Declares one durable consumer; a changed one is updated, which older servers do by `add` and newer ones by `update`. */
export const declareConsumer = async (jsm: JetStreamManager, consumer: ConsumerDefinition): Promise<void> => {
  const config: Partial<ConsumerConfig> = {
    durable_name: consumer.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: DeliverPolicy.All,
    ack_wait: consumer.ackWaitSeconds * SECOND_NS,
    max_deliver: -1,
    max_ack_pending: consumer.maxAckPending,
    ...(consumer.filter === undefined ? {} : { filter_subject: consumer.filter }),
    ...(consumer.headersOnly === true ? { headers_only: true } : {}),
  };
  try {
    await jsm.consumers.add(consumer.stream, config);
  } catch (error) {
    if (!isApiError(error, CONSUMER_EXISTS)) throw error;
    await jsm.consumers.update(consumer.stream, consumer.durable, config);
  }
};
