import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { isRecord } from '@app/chat';

/** What `npm start` notes of a stack that runs: where it is, and the settings that it has made itself. */
export interface RunningStack {
  readonly gateway: string;
  readonly door: string;
  /** Variables that its services got beside the user's: addresses on this machine, no key. */
  readonly settings: Readonly<Record<string, string>>;
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
    if (!isRecord(note) || !isAlive(note.pid) || !isRecord(note.settings)) return null;
    const { gateway, door, settings } = note;
    if (typeof gateway !== 'string' || typeof door !== 'string') return null;
    return { gateway, door, settings: settings as Record<string, string> };
  } catch {
    return null;
  }
};
