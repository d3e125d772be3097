import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../lib/problem.mjs';

const LONGEST_MS = 60_000;
const LOOK_EVERY_MS = 100;

/** Resolves with what `look` finds once that is something. Rejects after a minute, and at once when `signal` is aborted. */
export async function until(what, signal, look) {
  const deadline = Date.now() + LONGEST_MS;
  for (;;) {
    const found = look();
    if (found) return found;
    if (Date.now() > deadline) throw new Problem(`Waited ${LONGEST_MS / 1000} s for ${what} in vain.`);
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}
