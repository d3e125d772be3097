import { mkdir, open, readdir, readFile, rename, rm, writeFile, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { setNewest } from '../follow/set-newest';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;
const EXTENSION = '.jsonl';
/** Files whose ids are remembered, so that an addition does not read them again. */
const REMEMBERED_FILES = 256;

export interface RecordLine {
  readonly policyVersion: number;
  /** Session key: a name that is safe in a path. */
  readonly session: string;
  /** The turn's or the feedback's. */
  readonly id: string;
  /** JSON, without a line break. */
  readonly json: string;
}

/** What has been read of a file: the ids of its lines up to `size` bytes. */
interface Read {
  readonly size: number;
  readonly ids: Set<string>;
  readonly endsWithLine: boolean;
}

const NOTHING: Read = { size: 0, ids: new Set(), endsWithLine: true };

const isMissing = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'code' in error &&
  (error.code === 'ENOENT' || error.code === 'ENOTDIR');

/** The turns of some lines, and the id of each line: a feedback's own, or its turn's. */
const idsIn = (text: string): { readonly turnId: string; readonly id: string }[] =>
  text.split('\n').flatMap((line) => {
    try {
      const value = JSON.parse(line) as { turn_id?: unknown; feedback_id?: unknown } | null;
      const { turn_id: turnId, feedback_id: id = turnId } = value ?? {};
      return typeof turnId === 'string' && typeof id === 'string' ? [{ turnId, id }] : [];
    } catch {
      return [];
    }
  });

/** The file's lines, of which everything but its end is known already. Another replica may have added to it. */
const readOn = async (file: FileHandle, known: Read): Promise<Read> => {
  const { size } = await file.stat();
  const from = size < known.size ? NOTHING : known;
  if (size === from.size) return from;
  const added = Buffer.alloc(size - from.size);
  await file.read(added, 0, added.length, from.size);
  const text = added.toString();
  return { size, ids: new Set([...from.ids, ...idsIn(text).map(({ id }) => id)]), endsWithLine: text.endsWith('\n') };
};

/** Records on disk: a folder `v<n>` per policy version, in it a file per session. Only their owner can read them. */
export class RecordFiles {
  private readonly known = new Map<string, Read>();
  /** The last piece of work on each file: one at a time. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly folder: string) {}

  /**
   * Adds a line, unless the file has one of that id.
   * @throws the system's error where it cannot be written; then nothing of the line is left.
   */
  async append(line: RecordLine): Promise<void> {
    const folder = join(this.folder, `v${line.policyVersion}`);
    const path = join(folder, `${line.session}${EXTENSION}`);
    await this.inTurn(path, async () => {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      const file = await open(path, 'a+', FILE_MODE);
      try {
        const read = await readOn(file, this.known.get(path) ?? NOTHING);
        setNewest(this.known, [path, read], REMEMBERED_FILES);
        if (!read.ids.has(line.id)) await write(file, read, line.json);
      } finally {
        await file.close();
      }
    });
  }

  /** Removes the folders of every version below `version`. */
  async removeBelow(version: number): Promise<void> {
    for (const each of await this.versions()) {
      if (each < version) await rm(join(this.folder, `v${each}`), { recursive: true, force: true });
    }
  }

  /** Removes everything of some sessions, in all versions. Returns the number of lines. */
  async removeSessions(sessions: readonly string[]): Promise<number> {
    let lines = 0;
    for (const version of await this.versions()) {
      for (const session of sessions) {
        const path = join(this.folder, `v${version}`, `${session}${EXTENSION}`);
        lines += await this.inTurn(path, async () => {
          const text = await readFile(path, 'utf8').catch(orIfMissing(''));
          await rm(path, { force: true });
          this.known.delete(path);
          return text.split('\n').filter((line) => line !== '').length;
        });
      }
    }
    return lines;
  }

  /** Removes the lines of some turns from the files of some sessions, in all versions. Returns the number of lines. */
  async removeTurns(sessions: ReadonlySet<string>, turnIds: ReadonlySet<string>): Promise<number> {
    let lines = 0;
    for (const version of await this.versions()) {
      const folder = join(this.folder, `v${version}`);
      for (const name of await readdir(folder).catch(orIfMissing<string[]>([]))) {
        if (!sessions.has(name.slice(0, -EXTENSION.length)) || !name.endsWith(EXTENSION)) continue;
        const path = join(folder, name);
        lines += await this.inTurn(path, () => this.rewrite(path, turnIds));
      }
    }
    return lines;
  }

  private async rewrite(path: string, without: ReadonlySet<string>): Promise<number> {
    const lines = (await readFile(path, 'utf8').catch(orIfMissing(''))).split('\n').filter((line) => line !== '');
    const kept = lines.filter((line) => !idsIn(line).some(({ turnId }) => without.has(turnId)));
    if (kept.length === lines.length) return 0;
    this.known.delete(path);
    if (kept.length === 0) await rm(path, { force: true });
    else {
      // Whole or not at all, and never half of a line.
      await writeFile(`${path}.new`, kept.map((line) => `${line}\n`).join(''), { mode: FILE_MODE });
      await rename(`${path}.new`, path);
    }
    return lines.length - kept.length;
  }

  private async versions(): Promise<number[]> {
    const names = await readdir(this.folder).catch(orIfMissing<string[]>([]));
    return names.flatMap((name) => /^v(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  }

  private async inTurn<Result>(path: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.queues.get(path) ?? Promise.resolve();
    const mine = before.catch(() => undefined).then(work);
    this.queues.set(path, mine);
    try {
      return await mine;
    } finally {
      if (this.queues.get(path) === mine) this.queues.delete(path);
    }
  }
}

const orIfMissing =
  <Value>(value: Value) =>
  (error: unknown): Value => {
    if (isMissing(error)) return value;
    throw error;
  };

const write = async (file: FileHandle, read: Read, json: string): Promise<void> => {
  // A line that a crash has cut short is left alone, on a line of its own.
  const start = read.endsWithLine ? '' : '\n';
  await file.appendFile(`${start}${json}\n`).catch(async (error: unknown) => {
    await file.truncate(read.size);
    throw error;
  });
};
