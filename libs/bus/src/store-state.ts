import { JetStreamApiError, type JetStreamManager } from '@nats-io/jetstream';
import type { ConsumerDefinition, StreamName } from '@app/contracts';
import { BusUnavailableError } from './errors';

/** What a durable consumer still has to do. */
export interface Backlog {
  readonly stream: StreamName;
  readonly consumer: string;
  /** Messages that nobody has been given yet. */
  readonly pending: number;
  /** Messages that somebody has and has not settled. */
  readonly unsettled: number;
}

/** How far behind a consumer is, all replicas together. */
export const backlogOf = async (jsm: JetStreamManager, { stream, durable }: ConsumerDefinition): Promise<Backlog> => {
  const { num_pending: pending, num_ack_pending: unsettled } = await jsm.consumers.info(stream, durable);
  return { stream, consumer: durable, pending, unsettled };
};

/** Sequence up to which a consumer has settled each message of its stream, all replicas together; null if none waits. @throws BusUnavailableError */
export const settledThrough = async (
  jsm: JetStreamManager,
  { stream, durable }: ConsumerDefinition,
): Promise<number | null> => {
  try {
    const info = await jsm.consumers.info(stream, durable);
    return info.num_pending === 0 && info.num_ack_pending === 0 ? null : info.ack_floor.stream_seq;
  } catch (cause) {
    throw new BusUnavailableError(`the progress of consumer ${durable} could not be read`, { cause });
  }
};

/** Sequence of the newest message of a stream; 0 if there was never one. @throws BusUnavailableError */
export const newestIn = async (jsm: JetStreamManager, stream: StreamName): Promise<number> => {
  try {
    return (await jsm.streams.info(stream)).state.last_seq;
  } catch (cause) {
    throw new BusUnavailableError(`stream ${stream} could not be looked at`, { cause });
  }
};

/**
 * Removes the one message on a subject, and its bytes from the store's files. Returns whether there was one. Only its leader is asked
 * where it stands: copies of a stream have been seen to number their messages in different ways.
 */
export const removeFrom = async (jsm: JetStreamManager, stream: StreamName, subject: string): Promise<boolean> => {
  try {
    const message = await jsm.streams.getMessage(stream, { last_by_subj: subject });
    return message !== null && (await jsm.streams.deleteMessage(stream, message.seq, true));
  } catch (error) {
    // Removed meanwhile, by a limit or another request.
    if (error instanceof JetStreamApiError) return false;
    throw error;
  }
};
