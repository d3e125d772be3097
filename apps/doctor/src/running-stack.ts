import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@app/chat';
import type { ConfiguredSetting } from '@app/config';

/** What `npm start` notes of a stack that runs: where it is, and what it was started with, without secrets. */
export interface RunningStack {
  readonly gateway: string;
  readonly door: string;
  /** Variables that its services got beside the user's: addresses on this machine. */
  readonly settings: Readonly<Record<string, string>>;
  /** Variables that it was given. */
  readonly environment: Readonly<Record<string, string>>;
  /** What was configured, by path. */
  readonly configured: Readonly<Record<string, ConfiguredSetting>>;
}

const isAlive = (pid: unknown): boolean => {
  if (typeof pid !== 'number') return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** The stack of a state folder; null where none runs. */
export const readRunningStack = (stateDir: string): RunningStack | null => {
  try {
    const note: unknown = JSON.parse(readFileSync(join(stateDir, 'running.json'), 'utf8'));
    if (!isRecord(note) || !isAlive(note.pid)) return null;
    const { gateway, door, settings, environment, configured } = note;
    if (typeof gateway !== 'string' || typeof door !== 'string') return null;
    if (!isRecord(settings) || !isRecord(environment) || !isRecord(configured)) return null;
    return { gateway, door, settings, environment, configured } as unknown as RunningStack;
  } catch {
    return null;
  }
};
