import { JetStreamApiError, type StreamInfo } from '@nats-io/jetstream';
import type { Session } from '@app/bus';
import { BUCKETS, STREAM_NAMES } from '@app/contracts';

const STREAM_NOT_FOUND = 10059;

/** The streams that hold our buckets. */
export const BUCKET_STREAMS: readonly string[] = Object.values(BUCKETS).map(({ name }) => `KV_${name}`);

/** Every stream of ours, and those of our buckets. */
export const ALL_STREAMS: readonly string[] = [...STREAM_NAMES, ...BUCKET_STREAMS];

/** What the server says of a stream; null: it has none of that name. */
export const findStream = async ({ jsm }: Session, name: string): Promise<StreamInfo | null> => {
  try {
    return await jsm.streams.info(name);
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === STREAM_NOT_FOUND) return null;
    throw error;
  }
};

/** Those of our streams that the server has. */
export const findStreams = async (session: Session): Promise<readonly StreamInfo[]> => {
  const found = await Promise.all(ALL_STREAMS.map((name) => findStream(session, name)));
  return found.filter((info) => info !== null);
};
