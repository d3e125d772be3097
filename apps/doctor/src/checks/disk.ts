import { existsSync, readdirSync, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import type { Visit } from '../visit';

const GIB = 1024 ** 3;
/** Under this nothing that writes goes on for long. */
const LEAST = GIB;

const gib = (bytes: number): string => `${(bytes / GIB).toFixed(1)} GB`;

/** @param growth bytes by which what is kept there may still grow */
export const judgeDisk = (folder: string, free: number, growth: number): Finding => {
  if (free < LEAST) {
    return failed(
      `${gib(free)} are free where ${folder} is`,
      'make room: a full disk stops the store, and turns are no longer kept',
    );
  }
  if (free < growth) {
    return warning(
      `${gib(free)} are free where ${folder} is, and the store may still grow by ${gib(growth)}`,
      'make room, or lower nats.store_gb',
    );
  }
  return ok(`${gib(free)} are free where ${folder} is`);
};

const nearestFolder = (path: string): string => (existsSync(path) ? path : nearestFolder(dirname(path)));

const sizeOf = (folder: string): number => {
  if (!existsSync(folder)) return 0;
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + (statSync(join(parentPath, name), { throwIfNoEntry: false })?.size ?? 0),
      0,
    );
};

const look = async ({ options, settings }: Visit): Promise<Finding> => {
  const { stateDir } = options;
  const { bavail, bsize } = await statfs(nearestFolder(resolve(stateDir)));
  const growth = Math.max(0, settings.nats.storeGb * GIB - sizeOf(join(stateDir, 'nats')));
  return judgeDisk(stateDir, bavail * bsize, growth);
};

export const diskCheck: Check = { id: 'disk', title: 'disk', needs: ['settings'], look };
