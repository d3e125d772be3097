import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import type { Session } from '@app/bus';
import { askApi, errorOf } from '../ask-api';
import type { BackedUpStream } from '../backup/manifest';
import { Problem } from '../problem';

const CHUNK_BYTES = 256 * 1024;
/** The last answer comes when everything has been unpacked. */
const ANSWER_MS = 120_000;

/**
 * Makes a stream from its snapshot, with its consumers; the server may have none of that name.
 *
 * @param changes of its configuration
 * @throws Problem
 */
export const putSnapshot = async (
  session: Session,
  { name, config, state, snapshot }: BackedUpStream,
  changes: object,
  folder: string,
): Promise<void> => {
  const request = { config: { ...config, ...changes }, state };
  const begin = `$JS.API.STREAM.RESTORE.${name}`;
  const { deliver_subject: target } = await askApi<{ deliver_subject: string }>(session, begin, request);
  const send = async (chunk: Uint8Array): Promise<void> => {
    const answer = await session.nc.request(target, chunk, { timeout: ANSWER_MS });
    // A chunk that was taken is answered with nothing.
    const error = answer.data.byteLength === 0 ? null : errorOf(answer.json());
    if (error !== null) throw new Problem(`the server could not restore ${name}: ${error}`);
  };
  const chunks = createReadStream(join(folder, snapshot.file), { highWaterMark: CHUNK_BYTES });
  for await (const chunk of chunks) await send(chunk as Buffer);
  await send(new Uint8Array());
};
