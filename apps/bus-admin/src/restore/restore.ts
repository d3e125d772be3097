import { setTimeout as pause } from 'node:timers/promises';
import type { StreamInfo } from '@nats-io/jetstream';
import { maxBytesOf, type Session } from '@app/bus';
import { STREAMS, type StreamName } from '@app/contracts';
import type { BackedUpStream, BackupContents } from '../backup/manifest';
import { readBackup } from '../backup/read-backup';
import { Problem } from '../problem';
import { ALL_STREAMS, findStreams } from '../stored-streams';
import { putSnapshot } from './put-snapshot';
import { putTail } from './put-tail';

/** Every server of a cluster makes its copies of the consumers. */
const CONSUMERS_MS = 30_000;
const LOOK_EVERY_MS = 100;

export interface RestoreOptions {
  readonly folder: string;
  /** Delete what the server holds of ours. */
  readonly replace: boolean;
  /** As the settings have them: a backup of one server may be restored to a cluster. */
  readonly storeGb: number;
  readonly replicas: number;
}

/** Puts a backup in the place of everything that a server holds of ours; the services must not run. @throws Problem */
export const restore = async (session: Session, options: RestoreOptions): Promise<BackupContents> => {
  const contents = await readBackup(options.folder);
  requireOurs(contents);
  requireRoom(contents, options);
  if (options.replicas > 1 && session.nc.info?.cluster === undefined) {
    throw new Problem(`nats.replicas is ${options.replicas}, and the server stands alone`);
  }
  const existing = await findStreams(session);
  await requireQuiet(session, existing);
  if (existing.length > 0 && !options.replace) {
    const names = existing.map(({ config }) => config.name).join(', ');
    throw new Problem(`the server holds ${names} already: --replace deletes them and puts the backup in their place`);
  }
  for (const { config } of existing) await session.jsm.streams.delete(config.name);
  try {
    for (const stream of contents.streams) await putStream(session, stream, options);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : 'an unknown failure';
    throw new Problem(`${why}. The store is incomplete now: start no service; restore again, with --replace`, {
      cause,
    });
  }
  return contents;
};

const requireOurs = ({ streams }: BackupContents): void => {
  const foreign = streams.find(({ name }) => !ALL_STREAMS.includes(name));
  if (foreign !== undefined) throw new Problem(`the backup holds ${foreign.name}, which this version does not know`);
};

const isStreamName = (name: string): name is StreamName => name in STREAMS;

const requireRoom = ({ streams }: BackupContents, { storeGb }: RestoreOptions): void => {
  for (const { name, state } of streams) {
    if (!isStreamName(name) || state.bytes <= maxBytesOf(name, storeGb)) continue;
    const [held, most] = [state.bytes, maxBytesOf(name, storeGb)];
    throw new Problem(
      `${name} holds ${held} bytes, and nats.store_gb = ${storeGb} leaves it ${most}: raise nats.store_gb`,
    );
  }
};

/** Services that run would publish into a store that is half there, and go on with what they remember of the other one. */
const requireQuiet = async ({ jsm }: Session, streams: readonly StreamInfo[]): Promise<void> => {
  for (const { config } of streams) {
    for await (const { name, num_waiting: waiting } of jsm.consumers.list(config.name)) {
      if (waiting > 0) throw new Problem(`${name} is at work on ${config.name}: stop every service first`);
    }
  }
};

const putStream = async (session: Session, stream: BackedUpStream, options: RestoreOptions): Promise<void> => {
  const { name } = stream;
  const { folder, storeGb, replicas } = options;
  const size = isStreamName(name) ? { max_bytes: maxBytesOf(name, storeGb) } : {};
  await putSnapshot(session, stream, { ...size, num_replicas: replicas }, folder);
  await putTail(session, stream, folder);
  const { state } = await session.jsm.streams.info(name);
  const expected = stream.tail?.through ?? stream.state.last_seq;
  if (state.last_seq < expected) throw new Problem(`${name} ends at ${state.last_seq} in place of ${expected}`);
  await untilConsumersAreThere(session, stream);
};

const untilConsumersAreThere = async ({ jsm }: Session, { name, consumers }: BackedUpStream): Promise<void> => {
  const until = Date.now() + CONSUMERS_MS;
  for (const consumer of consumers) {
    while ((await jsm.consumers.info(name, consumer).catch(() => null)) === null) {
      if (Date.now() > until) throw new Problem(`consumer ${consumer} of ${name} did not come back`);
      await pause(LOOK_EVERY_MS);
    }
  }
};
