import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

const VERSION = '18.20.8';
const LONGEST_MS = 90_000;
const FOLDER = join(__dirname, '../../.openclaw-rl/old-node', VERSION);

/** A Node that is too old, installed once from npm; null where it cannot be had. 40 MB. */
export const findOldNode = (): string | null => {
  const name = `node-${process.platform}-${process.arch}`;
  const file = join(FOLDER, 'node_modules', name, 'bin', 'node');
  if (existsSync(file)) return file;
  mkdirSync(FOLDER, { recursive: true });
  const flags = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--fetch-retries=0'];
  spawnSync('npm', ['install', '--prefix', FOLDER, ...flags, `${name}@${VERSION}`], { timeout: LONGEST_MS });
  return existsSync(file) ? file : null;
};
