import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Where `npm run build` puts the console, seen from this file's place in dist. */
export const BUILT_CONSOLE = join(__dirname, '../../../console/public');

export interface ConsoleFile {
  readonly type: string;
  readonly body: Buffer;
  readonly gzipped: Buffer;
  readonly etag: string;
  /** Its name changes with its content. */
  readonly isImmutable: boolean;
}

const readOne = (path: string, isImmutable: boolean): ConsoleFile => {
  const body = readFileSync(path);
  return {
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    body,
    gzipped: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
    isImmutable,
  };
};

/** The built console by path, all of it in memory: some hundred kilobytes. Empty where it has not been built. */
export const readConsoleFiles = (folder: string): ReadonlyMap<string, ConsoleFile> => {
  if (!existsSync(folder)) return new Map();
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
  return new Map(names.map((name) => [name, readOne(join(folder, name), name.startsWith('assets/'))]));
};
