import { isDeepStrictEqual } from 'node:util';
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
  type StreamInfo,
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

/** Begins a stream's description; the time of its creation follows. */
const CREATED = 'created ';

/** Size and copies of everything that is stored. */
export interface TopologyOptions {
  /** Disk that all streams together may use, in GiB. */
  readonly storeGb: number;
  /** Copies of every stream and bucket: 1, or 3 on a cluster. */
  readonly replicas: number;
}

/** Bytes that a stream may hold: its share of the store. */
export const maxBytesOf = (name: StreamName, storeGb: number): number =>
  Math.floor(storeGb * GIB * STREAMS[name].shareOfStore);

const streamConfig = (name: StreamName, options: TopologyOptions): Partial<StreamConfig> & { name: StreamName } => {
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
    max_bytes: maxBytesOf(name, options.storeGb),
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

interface Managers {
  readonly jsm: JetStreamManager;
  readonly kvm: Kvm;
}

/** Declares every stream and bucket. Safe from many processes at once; a changed one is updated in place. */
export const declareStore = async (managers: Managers, options: TopologyOptions): Promise<void> => {
  for (const name of STREAM_NAMES) await againIfOverlapping(() => declareStream(managers.jsm, name, options));
  for (const bucket of Object.values(BUCKETS)) {
    await againIfOverlapping(() => declareBucket(managers, bucket, options.replicas));
  }
};

const declareStream = async (jsm: JetStreamManager, name: StreamName, options: TopologyOptions): Promise<void> => {
  const config = streamConfig(name, options);
  const { config: stored, created } = (await findStream(jsm, name)) ?? (await createStream(jsm, config));
  const wanted = {
    ...config,
    // A newer version's, which works beside this one or has before it.
    subjects: [...new Set([...(config.subjects ?? []), ...stored.subjects])],
    description: stored.description ?? `${CREATED}${Date.parse(created)}`,
  };
  if (!isDeepStrictEqual({ ...stored, ...wanted }, stored)) await jsm.streams.update(name, wanted);
};

const findStream = async (jsm: JetStreamManager, name: StreamName): Promise<StreamInfo | null> =>
  jsm.streams.info(name).catch((error: unknown) => {
    if (isApiError(error, STREAM_NOT_FOUND)) return null;
    throw error;
  });

/** Creates a stream, unless another process has been faster: a server without room for a second one says only that. */
const createStream = async (
  jsm: JetStreamManager,
  config: Partial<StreamConfig> & { name: StreamName },
): Promise<StreamInfo> => {
  try {
    return await jsm.streams.add(config);
  } catch (error) {
    if (!isApiError(error, STREAM_NAME_IN_USE) && !isApiError(error, INSUFFICIENT_STORAGE)) throw error;
    const found = await findStream(jsm, config.name);
    if (found === null) throw error;
    return found;
  }
};

/**
 * When a stream was created, server's clock, milliseconds since 1970: the same as long as it lives. The server's own word
 * for it does not last: an update makes nats-server 2.9.10 write down when it was started itself.
 */
export const streamCreatedAt = ({ config, created }: StreamInfo): number => {
  const written = config.description?.startsWith(CREATED) === true ? config.description.slice(CREATED.length) : '';
  return written === '' ? Date.parse(created) : Number(written);
};

/** Creates a bucket, or brings its copies up to date: the client leaves a bucket that exists as it is. */
const declareBucket = async (
  { jsm, kvm }: Managers,
  { name, history, ttlSeconds }: BucketDefinition,
  replicas: number,
): Promise<void> => {
  // Documents are decided on as they are read: with several copies only the leader's counts.
  const copies = { num_replicas: replicas, allow_direct: replicas === 1 };
  const { allow_direct } = copies;
  await kvm.create(name, { history, ttl: ttlSeconds * 1000, replicas, storage: StorageType.File, allow_direct });
  const { config } = await jsm.streams.info(`KV_${name}`);
  if (!isDeepStrictEqual({ ...config, ...copies }, config)) await jsm.streams.update(`KV_${name}`, copies);
};

/** Declares one durable consumer; a changed one is updated, which older servers do by `add` and newer ones by `update`. */
export const declareConsumer = async (jsm: JetStreamManager, consumer: ConsumerDefinition): Promise<void> => {
  const config: Partial<ConsumerConfig> = {
    durable_name: consumer.durable,
    ack_policy: AckPolicy.Explicit,
    deliver_policy: consumer.newOnly === true ? DeliverPolicy.New : DeliverPolicy.All,
    ack_wait: consumer.ackWaitSeconds * SECOND_NS,
    max_deliver: -1,
    max_ack_pending: consumer.maxAckPending,
    filter_subject: consumer.filter,
    ...(consumer.headersOnly === true ? { headers_only: true } : {}),
  };
  try {
    await jsm.consumers.add(consumer.stream, config);
  } catch (error) {
    if (!isApiError(error, CONSUMER_EXISTS)) throw error;
    await jsm.consumers.update(consumer.stream, consumer.durable, config);
  }
};
