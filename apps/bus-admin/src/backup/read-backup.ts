import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Problem } from '../problem';
import { requireWhole } from './backup-file';
import { MANIFEST, readManifest, type BackupContents } from './manifest';

/** What a backup holds, once every byte of it has been found as it was written. @throws Problem */
export const readBackup = async (folder: string): Promise<BackupContents> => {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((cause: unknown) => {
    throw new Problem(`${folder} has no ${MANIFEST}: it is no backup, or one that was cut short`, { cause });
  });
  const contents = readManifest(text);
  for (const { snapshot, tail } of contents.streams) {
    await requireWhole(folder, snapshot);
    if (tail !== null) await requireWhole(folder, tail);
  }
  return contents;
};
