import { createInbox } from '@nats-io/transport-node';
import type { Session } from '@app/bus';
import { askApi } from '../ask-api';
import { Problem } from '../problem';
import { writeBackupFile } from './backup-file';
import type { BackedUpStream } from './manifest';

const CHUNK_BYTES = 256 * 1024;
/** A server that has gone, or another leader of the stream, sends nothing more. */
const SILENCE_MS = 30_000;
/** Status of the last, empty chunk; older servers give none. */
const ENDED_WELL = 204;

export interface SnapshotTarget {
  readonly folder: string;
  /** Where this program may listen for what the server sends. */
  readonly inboxPrefix: string;
}

/**
 * Has a server write a stream as it stands now, with its consumers or without, into a file. Others go on publishing.
 * The server sends chunks, each of which is acknowledged once it is written, and an empty one behind the last.
 *
 * @throws Problem
 */
export const takeSnapshot = async (
  session: Session,
  stream: string,
  withConsumers: boolean,
  { folder, inboxPrefix }: SnapshotTarget,
): Promise<Pick<BackedUpStream, 'config' | 'state' | 'snapshot'>> => {
  const { nc } = session;
  const inbox = createInbox(inboxPrefix);
  const chunks = nc.subscribe(inbox);
  const silence = setTimeout(() => {
    chunks.unsubscribe();
  }, SILENCE_MS);
  try {
    const { config, state } = await askApi<Pick<BackedUpStream, 'config' | 'state'>>(
      session,
      `$JS.API.STREAM.SNAPSHOT.${stream}`,
      { deliver_subject: inbox, chunk_size: CHUNK_BYTES, no_consumers: !withConsumers },
    );
    const snapshot = await writeBackupFile(folder, `${stream}.snapshot`, async (append) => {
      for await (const { data, reply, headers } of chunks) {
        silence.refresh();
        if (data.byteLength === 0) {
          if (headers === undefined || headers.code === 0 || headers.code === ENDED_WELL) return;
          throw new Problem(`the server gave up the snapshot of ${stream}: ${headers.description}. Back up again.`);
        }
        await append(data);
        if (reply !== undefined) nc.publish(reply);
      }
      throw new Problem(`the snapshot of ${stream} broke off: the server is silent. Back up again.`);
    });
    return { config, state, snapshot };
  } finally {
    clearTimeout(silence);
    chunks.unsubscribe();
  }
};
