import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Notes for the doctor where a stack is (`gateway`, `door`), the variables that it has made itself (`settings`) and those that
 * it was given (`environment`), and what is configured in it by path (`configured`). No secret is among them. The process
 * tells it from the note of one that was killed.
 */
export function noteRunning(stateDir, note) {
  mkdirSync(stateDir, { recursive: true });
  writeFileSync(fileIn(stateDir), JSON.stringify({ pid: process.pid, ...note }, null, 2));
}

/** Takes the note away when the stack stops. */
export function forgetRunning(stateDir) {
  rmSync(fileIn(stateDir), { force: true });
}

/** The variables that the services of a running stack got beside the user's; null where none runs. */
export function readRunningSettings(stateDir) {
  try {
    const { pid, settings } = JSON.parse(readFileSync(fileIn(stateDir), 'utf8'));
    process.kill(pid, 0);
    return settings;
  } catch {
    return null;
  }
}

function fileIn(stateDir) {
  return join(stateDir, 'running.json');
}
