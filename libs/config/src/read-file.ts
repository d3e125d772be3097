import { existsSync, readFileSync } from 'node:fs';

export function readFileOrNull(path: string): string | null {
  return existsSync(path) ? readFileSync(path, 'utf8') : null;
}
