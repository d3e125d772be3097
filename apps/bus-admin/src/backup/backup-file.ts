import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../problem';
import type { StoredFile } from './manifest';

/** Conversations are in it: nobody but its owner may read it. */
const OWNER_ONLY = 0o600;

/** A file that is written piece by piece, and known by its hash. `write` gives it its pieces. It may not be there yet. */
export const writeBackupFile = async (
  folder: string,
  file: string,
  write: (append: (piece: Uint8Array) => Promise<void>) => Promise<void>,
): Promise<StoredFile> => {
  const hash = createHash('sha256');
  let bytes = 0;
  const handle = await open(join(folder, file), 'wx', OWNER_ONLY);
  try {
    await write(async (piece) => {
      hash.update(piece);
      bytes += piece.byteLength;
      await handle.writeFile(piece);
    });
    await handle.sync();
  } finally {
    await handle.close();
  }
  return { file, bytes, sha256: hash.digest('hex') };
};

/** @throws Problem if the file is not there, or not as it was written */
export const requireWhole = async (folder: string, { file, bytes, sha256 }: StoredFile): Promise<void> => {
  const path = join(folder, file);
  const found = await stat(path).catch(() => null);
  if (found === null) throw new Problem(`the backup is incomplete: ${file} is missing. Use another backup.`);
  if (found.size !== bytes) {
    throw new Problem(
      `the backup is damaged: ${file} has ${found.size} bytes in place of ${bytes}. Use another backup.`,
    );
  }
  const hash = createHash('sha256');
  for await (const piece of createReadStream(path)) hash.update(piece as Buffer);
  if (hash.digest('hex') !== sha256) {
    throw new Problem(`the backup is damaged: ${file} is not as it was written. Use another backup.`);
  }
};
