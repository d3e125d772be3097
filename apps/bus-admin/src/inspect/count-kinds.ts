import { AckPolicy, DeliverPolicy, type StreamInfo } from '@nats-io/jetstream';
import { scanInfos, type Session } from '@app/bus';
import { STREAMS, type StreamName } from '@app/contracts';

/** Messages of one kind and version, by the fixed part of their subjects: `rl.turn.judged.v1`. */
export interface Kind {
  readonly name: string;
  readonly messages: number;
  /** Whether this build reads them. */
  readonly isKnown: boolean;
}

/** Tokens of a subject in front of its ids. */
const FIXED_TOKENS = 4;
/** For how long the server keeps a consumer that was not deleted, nanoseconds. */
const FORGOTTEN_AFTER_NS = 10_000_000_000;

const kindOf = (subject: string): string => subject.split('.').slice(0, FIXED_TOKENS).join('.');

/**
 * Messages of a stream by kind and version, up to the newest one that `stream` tells of. Kinds that are known are counted by the server;
 * only where these are not all are the subjects of all messages read, to name the others.
 */
export const countKinds = async (session: Session, { config, state }: StreamInfo): Promise<readonly Kind[]> => {
  const name = config.name as StreamName;
  const known: Kind[] = [];
  for (const subject of STREAMS[name].subjects) {
    const all = await countMatching(session, name, { filter: subject, from: 1 });
    // What comes meanwhile must not take the place of what is not known.
    const later = await countMatching(session, name, { filter: subject, from: state.last_seq + 1 });
    known.push({ name: kindOf(subject), messages: Math.max(0, all - later), isKnown: true });
  }
  const isAll = known.reduce((sum, { messages }) => sum + messages, 0) >= state.messages;
  return isAll ? known : [...known, ...(await findUnknown(session, name, known))];
};

interface Counted {
  readonly filter: string;
  /** Sequence of the first message that counts. */
  readonly from: number;
}

const countMatching = async ({ jsm }: Session, stream: StreamName, { filter, from }: Counted): Promise<number> => {
  const { name, num_pending: messages } = await jsm.consumers.add(stream, {
    filter_subject: filter,
    ack_policy: AckPolicy.None,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: from,
    headers_only: true,
    mem_storage: true,
    num_replicas: 1,
    inactive_threshold: FORGOTTEN_AFTER_NS,
  });
  await jsm.consumers.delete(stream, name);
  return messages;
};

const findUnknown = async (session: Session, stream: StreamName, known: readonly Kind[]): Promise<readonly Kind[]> => {
  const names = new Set(known.map(({ name }) => name));
  const unknown = new Map<string, number>();
  for await (const { subject } of scanInfos(session, stream)) {
    const name = kindOf(subject);
    if (!names.has(name)) unknown.set(name, (unknown.get(name) ?? 0) + 1);
  }
  return [...unknown].map(([name, messages]) => ({ name, messages, isKnown: false }));
};
