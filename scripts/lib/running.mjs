import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Notes where a stack is and the settings that it has made itself, for the doctor: addresses on this machine, no key.
 * The process tells it from the note of one that was killed.
 */
export function noteRunning(stateDir, { gateway, door, settings }) {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(fileIn(stateDir), JSON.stringify({ pid: process.pid, gateway, door, settings }, null, 2));
}

/** Takes the note away when the stack stops. */
export function forgetRunning(stateDir) {
  rmSync(fileIn(stateDir), { force: true });
}

function fileIn(stateDir) {
  return join(stateDir, 'running.json');
}
