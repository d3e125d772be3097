import { mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Session } from '@app/bus';
import { STREAM_NAMES } from '@app/contracts';
import { Problem } from '../problem';
import { BUCKET_STREAMS, findStream } from '../stored-streams';
import { MANIFEST, writeManifest, type BackedUpStream, type BackupContents } from './manifest';
import { writeTail } from './tail';
import { takeSnapshot, type SnapshotTarget } from './take-snapshot';

/**
 * Writes every stream and bucket into a folder while everything goes on.
 *
 * What is written is of one piece although it is not of one moment, since it is taken in the order in which a crash may find it:
 * first what each consumer has acknowledged, with the messages; then the buckets, in which the effects of that are; then the
 * messages that came meanwhile, which the buckets may count on. After a restore work that was under way is done again, which
 * the guard of every message makes harmless, and none is left out.
 *
 * @throws Problem
 */
export const backUp = async (session: Session, target: SnapshotTarget): Promise<BackupContents> => {
  const { folder } = target;
  await requireEmptyFolder(folder);
  const begunAt = Date.now();
  const streams = await snapshotAll(session, STREAM_NAMES, target);
  const buckets = await snapshotAll(session, BUCKET_STREAMS, target);
  if (streams.length === 0) throw new Problem('this server has no stream of ours: is it the right one (nats.url)?');
  const ends: number[] = [];
  // One after the other: who publishes a turn and its outcome publishes the outcome first, to a stream that stands behind.
  for (const { name } of streams) ends.push((await session.jsm.streams.info(name)).state.last_seq);
  const whole: BackedUpStream[] = [];
  for (const [i, stream] of streams.entries()) {
    whole.push({ ...stream, tail: await writeTail(session, stream, ends[i] ?? 0, folder) });
  }
  const contents = {
    begunAt,
    endedAt: Date.now(),
    server: session.nc.info?.version ?? 'unknown',
    streams: [...whole, ...buckets],
  };
  // A backup that was cut short has no manifest.
  const path = join(folder, MANIFEST);
  await writeFile(`${path}.part`, writeManifest(contents), { mode: 0o600 });
  await rename(`${path}.part`, path);
  return { format: 1, ...contents };
};

const requireEmptyFolder = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await readdir(folder)).length > 0) throw new Problem(`${folder} is not empty: name a new folder for the backup`);
};

const snapshotAll = async (
  session: Session,
  names: readonly string[],
  target: SnapshotTarget,
): Promise<BackedUpStream[]> => {
  const taken: BackedUpStream[] = [];
  for (const name of names) {
    if ((await findStream(session, name)) === null) continue;
    const isBucket = BUCKET_STREAMS.includes(name);
    const consumers = isBucket ? [] : await durablesOf(session, name);
    // Whoever watches a bucket begins anew.
    taken.push({ name, ...(await takeSnapshot(session, name, !isBucket, target)), tail: null, consumers });
  }
  return taken;
};

const durablesOf = async ({ jsm }: Session, stream: string): Promise<string[]> => {
  const names: string[] = [];
  for await (const { config } of jsm.consumers.list(stream)) {
    if (config.durable_name !== undefined) names.push(config.durable_name);
  }
  return names.sort();
};
