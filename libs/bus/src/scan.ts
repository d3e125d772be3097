import { DeliverPolicy, type JsMsg } from '@nats-io/jetstream';
import { INFO_HEADER, type StreamName } from '@app/contracts';
import type { Session } from './connection';

const BATCH = 1000;
const BATCH_EXPIRES_MS = 1000;

/** A message's headers and place, without its body. */
export interface ScannedInfo {
  readonly subject: string;
  readonly sequence: number;
  readonly info: string;
}

export interface ScanOptions {
  readonly startSequence?: number;
  readonly filter?: string;
  /** The caller has read on to `startSequence` before: a stream that has never come so far is another one, and read whole. */
  readonly resumes?: boolean;
}

/** Reads headers of every message that a stream holds now, in order. */
export async function* scanInfos(
  session: Session,
  stream: StreamName,
  options?: ScanOptions,
): AsyncGenerator<ScannedInfo> {
  for await (const message of scanHeaders(session, stream, options)) {
    yield { subject: message.subject, sequence: message.seq, info: message.headers?.get(INFO_HEADER) ?? '' };
  }
}

/** The same for any stream, as messages without bodies, with an ordered headers-only consumer. */
export async function* scanHeaders(session: Session, stream: string, options: ScanOptions = {}): AsyncGenerator<JsMsg> {
  const { state } = await session.jsm.streams.info(stream);
  const { startSequence = 1, resumes = false } = options;
  const isAnother = resumes && startSequence > state.last_seq + 1;
  const start = isAnother ? state.first_seq : Math.max(startSequence, state.first_seq);
  if (state.messages === 0 || start > state.last_seq) return;
  const consumer = await session.js.consumers.get(stream, {
    headers_only: true,
    deliver_policy: DeliverPolicy.StartSequence,
    opt_start_seq: start,
    ...(options.filter === undefined ? {} : { filter_subjects: options.filter }),
  });
  try {
    for (let more = (await consumer.info()).num_pending > 0; more;) {
      // Batches that end by themselves: the last message may be deleted while it is waited for.
      more = false;
      for await (const message of await consumer.fetch({ max_messages: BATCH, expires: BATCH_EXPIRES_MS })) {
        yield message;
        if (message.info.pending === 0 || message.seq >= state.last_seq) return;
        more = true;
      }
    }
  } finally {
    await consumer.delete().catch(() => undefined);
  }
}
