import { headers } from '@nats-io/transport-node';
import type { Session } from '@app/bus';
import { STREAMS, type StreamName } from '@app/contracts';
import type { BackedUpStream } from '../backup/manifest';
import { readTail, type TailMessage } from '../backup/tail';

/** What the server was told to expect then says nothing now. */
const EXPECTATIONS = /^nats-expected-/i;
const EXPECTED_LAST = 'Nats-Expected-Last-Sequence';

/**
 * Publishes what came after a stream's snapshot, each message at the sequence that it had: documents name samples by it.
 * Of messages that were deleted since the place alone is taken.
 */
export const putTail = async ({ js, jsm }: Session, stream: BackedUpStream, folder: string): Promise<void> => {
  const { name, tail } = stream;
  if (tail === null) return;
  // The snapshot may hold more than its word on the state: messages that came while it was being written.
  let last = (await jsm.streams.info(name)).state.last_seq;
  const put = async ({ subject, headers: given, data }: Omit<TailMessage, 'sequence'>): Promise<void> => {
    const all = headers();
    for (const [key, values] of given) if (!EXPECTATIONS.test(key)) for (const value of values) all.append(key, value);
    all.set(EXPECTED_LAST, String(last));
    await js.publish(subject, Buffer.from(data, 'base64'), { headers: all });
    last += 1;
  };
  const skipTo = async (sequence: number): Promise<void> => {
    while (last < sequence) {
      await put({ subject: placeholderIn(name as StreamName), headers: [], data: '' });
      await jsm.streams.deleteMessage(name, last, false);
    }
  };
  for await (const message of readTail(folder, tail)) {
    if (message.sequence <= last) continue;
    await skipTo(message.sequence - 1);
    await put(message);
  }
  await skipTo(tail.through);
};

/** A subject of the stream that no message of ours has. */
const placeholderIn = (name: StreamName): string => STREAMS[name].subjects[0].replaceAll('*', '_place_');
