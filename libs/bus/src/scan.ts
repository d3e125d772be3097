import { setTimeout as pause } from 'node:timers/promises';
import { DeliverPolicy, type ConsumerMessages, type JsMsg } from '@nats-io/jetstream';
import { TimeoutError } from '@nats-io/transport-node';
import { INFO_HEADER, type StreamName } from '@app/contracts';
import type { Session } from './connection';
import { BusUnavailableError } from './errors';

const BATCH = 1000;
const BATCH_EXPIRES_MS = 1000;
/** How much longer the word that a batch has ended may take. */
const WORD_MS = 4000;
/** Passes over a stream without a message, while its leader says that there is one, and the pause between two in milliseconds. */
const MOST_PASSES = 20;
const PASS_PAUSE_MS = 100;
/** How often a consumer is asked for. */
const MOST_ASKED = 6;

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

/** The same for any stream, as messages without bodies. @throws BusUnavailableError if a copy stays behind its leader */
export async function* scanHeaders(session: Session, stream: string, options: ScanOptions = {}): AsyncGenerator<JsMsg> {
  const { state } = await session.jsm.streams.info(stream);
  const { startSequence = 1, resumes = false, filter } = options;
  const isAnother = resumes && startSequence > state.last_seq + 1;
  const range = {
    stream,
    filter,
    next: isAnother ? state.first_seq : Math.max(startSequence, state.first_seq),
    last: state.messages === 0 ? 0 : state.last_seq,
  };
  for (let pass = 0; range.next <= range.last; pass += 1) {
    for await (const message of scanOnce(session, range)) {
      range.next = message.seq + 1;
      pass = 0;
      yield message;
    }
    if (!(await leaderHasMore(session, range))) return;
    if (pass >= MOST_PASSES) throw new BusUnavailableError(`a copy of ${stream} stays behind its leader`);
    await pause(PASS_PAUSE_MS);
  }
}

interface Range {
  readonly stream: string;
  readonly filter: string | undefined;
  readonly next: number;
  readonly last: number;
}

/** A cluster may give a consumer to a server that has just died, which never answers; the next one goes to another server, sooner or later. */
const askAgain = async <Result>(ask: () => Promise<Result>): Promise<Result> => {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof TimeoutError) || tries === MOST_ASKED) throw error;
    }
  }
};

/** One ordered headers-only consumer. It reads from one copy of the stream, and ends where that ends. */
async function* scanOnce(session: Session, { stream, filter, next, last }: Range): AsyncGenerator<JsMsg> {
  const consumer = await askAgain(() =>
    session.js.consumers.get(stream, {
      headers_only: true,
      deliver_policy: DeliverPolicy.StartSequence,
      opt_start_seq: next,
      ...(filter === undefined ? {} : { filter_subjects: filter }),
    }),
  );
  try {
    for (let more = (await consumer.info()).num_pending > 0; more;) {
      // Batches that end by themselves: the last message may be deleted while it is waited for.
      more = false;
      const batch = await consumer.fetch({ max_messages: BATCH, expires: BATCH_EXPIRES_MS });
      for await (const message of withoutStandstill(batch, stream)) {
        yield message;
        if (message.info.pending === 0 || message.seq >= last) return;
        more = true;
      }
    }
  } finally {
    await consumer.delete().catch(() => undefined);
  }
}

/** The client waits without end for a batch whose server was lost, in a cluster also when it is back with the others. */
async function* withoutStandstill(batch: ConsumerMessages, stream: string): AsyncGenerator<JsMsg> {
  const messages = batch[Symbol.asyncIterator]();
  const next = async (): Promise<IteratorResult<JsMsg>> => {
    const timer = setTimeout(() => {
      batch.stop(new BusUnavailableError(`reading ${stream} came to a standstill`));
    }, BATCH_EXPIRES_MS + WORD_MS);
    try {
      return await messages.next();
    } finally {
      clearTimeout(timer);
    }
  };
  try {
    for (let each = await next(); each.done !== true; each = await next()) yield each.value;
  } finally {
    batch.stop();
  }
}

/** A copy that has just come back may say that it holds nothing: in a cluster only the leader knows. */
const leaderHasMore = async ({ nc, jsm }: Session, { stream, filter, next, last }: Range): Promise<boolean> => {
  if (next > last || nc.info?.cluster === undefined) return false;
  const query = { seq: next, next_by_subj: filter ?? '>' };
  const message = await jsm.streams.getMessage(stream, query);
  return message !== null && message.seq <= last;
};
