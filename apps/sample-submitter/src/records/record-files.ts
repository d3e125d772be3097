import { mkdir, open, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

export interface RecordLine {
  readonly policyVersion: number;
  /** Session key: a name that is safe in a path. */
  readonly session: string;
  readonly turnId: string;
  /** JSON, without a line break. */
  readonly json: string;
  /** The line may be there already. */
  readonly isRepeat: boolean;
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR');

const turnIdOf = (line: string): string | null => {
  try {
    const value = JSON.parse(line) as { turn_id?: unknown } | null;
    return typeof value?.turn_id === 'string' ? value.turn_id : null;
  } catch {
    return null;
  }
};

/** Records on disk: a folder `v<n>` per policy version, in it a file per session. Only their owner can read them. */
export class RecordFiles {
  /** The last piece of work on each file: one at a time. */
  private readonly queues = new Map<string, Promise<unknown>>();

  constructor(private readonly folder: string) {}

  /** Adds a line once. @throws the system's error where it cannot be written; then nothing of it is left. */
  async append(line: RecordLine): Promise<void> {
    const folder = join(this.folder, `v${line.policyVersion}`);
    const path = join(folder, `${line.session}.jsonl`);
    await this.inTurn(path, async () => {
      await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
      const before = line.isRepeat ? await this.read(path) : '';
      if (before.split('\n').some((each) => turnIdOf(each) === line.turnId)) return;
      // A line that a crash has cut short is left alone, on a line of its own.
      const start = before === '' || before.endsWith('\n') ? '' : '\n';
      await this.write(path, `${start}${line.json}\n`);
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
        const path = join(this.folder, `v${version}`, `${session}.jsonl`);
        lines += await this.inTurn(path, async () => {
          const text = await this.read(path);
          await rm(path, { force: true });
          return text.split('\n').filter((line) => line !== '').length;
        });
      }
    }
    return lines;
  }

  private async versions(): Promise<number[]> {
    const names = await readdir(this.folder).catch((error: unknown) => {
      if (isMissing(error)) return [];
      throw error;
    });
    return names.flatMap((name) => /^v(\d+)$/.exec(name)?.[1] ?? []).map(Number);
  }

  private async read(path: string): Promise<string> {
    return readFile(path, 'utf8').catch((error: unknown) => {
      if (isMissing(error)) return '';
      throw error;
    });
  }

  private async write(path: string, text: string): Promise<void> {
    const file = await open(path, 'a', FILE_MODE);
    try {
      const { size } = await file.stat();
      await file.writeFile(text).catch(async (error: unknown) => {
        await file.truncate(size);
        throw error;
      });
    } finally {
      await file.close();
    }
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
