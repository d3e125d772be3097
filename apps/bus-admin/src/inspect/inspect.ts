import type { StreamInfo } from '@nats-io/jetstream';
import { isMarker, scanHeaders, type Session } from '@app/bus';
import { STREAM_NAMES } from '@app/contracts';
import { Problem } from '../problem';
import { findStreams } from '../stored-streams';
import { countKinds, type Kind } from './count-kinds';

/** How far a service is with a stream. */
export interface Queue {
  readonly consumer: string;
  /** Messages that nobody has been given yet. */
  readonly waiting: number;
  /** Messages that somebody has and has not settled. */
  readonly inHand: number;
  /** Those of them that were given out more than once. */
  readonly again: number;
}

/** What a stream or a bucket holds; never what its messages say. */
export interface InspectedStream {
  readonly name: string;
  readonly messages: number;
  /** Those of a bucket's messages that say that a document was deleted, each with a key and no value; 0 for a stream. */
  readonly markers: number;
  readonly bytes: number;
  readonly copies: number;
  /** When its oldest message was stored, milliseconds since 1970; null where it has none. */
  readonly oldestAt: number | null;
  /** Empty for a bucket. */
  readonly kinds: readonly Kind[];
  readonly queues: readonly Queue[];
}

/** Looks at every stream and bucket, and changes nothing. @throws Problem where there is none */
export const inspect = async (session: Session): Promise<readonly InspectedStream[]> => {
  const streams = await findStreams(session);
  if (streams.length === 0) throw new Problem('this server has no stream of ours: is it the right one (nats.url)?');
  const inspected: InspectedStream[] = [];
  for (const stream of streams) inspected.push(await inspectStream(session, stream));
  return inspected;
};

const isStream = (name: string): boolean => (STREAM_NAMES as readonly string[]).includes(name);

const inspectStream = async (session: Session, stream: StreamInfo): Promise<InspectedStream> => {
  const { config, state } = stream;
  const { name } = config;
  return {
    name,
    messages: state.messages,
    markers: isStream(name) ? 0 : await countMarkers(session, name),
    bytes: state.bytes,
    copies: config.num_replicas,
    oldestAt: state.messages === 0 ? null : Date.parse(state.first_ts),
    kinds: isStream(name) ? await countKinds(session, stream) : [],
    queues: isStream(name) ? await queuesOf(session, name) : [],
  };
};

const countMarkers = async (session: Session, bucket: string): Promise<number> => {
  let markers = 0;
  for await (const message of scanHeaders(session, bucket)) if (isMarker(message)) markers += 1;
  return markers;
};

const queuesOf = async ({ jsm }: Session, stream: string): Promise<readonly Queue[]> => {
  const queues: Queue[] = [];
  for await (const info of jsm.consumers.list(stream)) {
    const consumer = info.config.durable_name;
    if (consumer === undefined) continue;
    const { num_pending: waiting, num_ack_pending: inHand, num_redelivered: again } = info;
    queues.push({ consumer, waiting, inHand, again });
  }
  return queues.sort((a, b) => a.consumer.localeCompare(b.consumer));
};

/** What keeps this build from working with what is stored; null: nothing. */
export const whatIsUnreadable = (streams: readonly InspectedStream[]): string | null => {
  const unknown = streams.flatMap(({ kinds }) => kinds).filter(({ isKnown }) => !isKnown);
  if (unknown.length === 0) return null;
  const named = unknown.map(({ name, messages }) => `${messages} of ${name}`).join(', ');
  return (
    `this version reads none of these messages: ${named}. They stay where they are until they are too old. ` +
    'Go on with the version that wrote them, or let it work them off first'
  );
};
