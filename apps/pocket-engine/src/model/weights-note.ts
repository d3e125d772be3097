import { closeSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';

/** Weights that are being served. */
export interface ServedWeights {
  readonly path: string;
  readonly version: string;
}

/** Notes on the disk which weights are served, so that an engine that was killed comes back with them. */
export class WeightsNote {
  constructor(private readonly file: string) {}

  /** null: there is no note, or none that can be read. */
  read(): ServedWeights | null {
    try {
      const { path, version } = JSON.parse(readFileSync(this.file, 'utf8')) as Record<string, unknown>;
      return typeof path === 'string' && typeof version === 'string' ? { path, version } : null;
    } catch {
      return null;
    }
  }

  /** The note is there whole, or the one before it is. */
  write({ path, version }: ServedWeights): void {
    mkdirSync(dirname(this.file), { recursive: true });
    const part = `${this.file}.part`;
    const open = openSync(part, 'w');
    try {
      writeSync(open, `${JSON.stringify({ path, version })}\n`);
      fsyncSync(open);
    } finally {
      closeSync(open);
    }
    renameSync(part, this.file);
  }
}
