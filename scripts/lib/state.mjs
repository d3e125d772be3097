import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { answers } from './ports.mjs';
import { Problem } from './problem.mjs';

/** Keeps two NATS servers from one store, which would destroy it. Remembers the port of the one that will use it. */
export async function requireUnusedStore(stateDir, port) {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, 'nats.port');
  const last = readPortOrNull(path);
  if (last !== null && (await answers('127.0.0.1', last))) {
    throw new Problem(
      `A NATS server on port ${last} uses the store in ${stateDir} already.\n` +
        'Stop the other npm start, or use another folder: npm start -- --state PATH',
    );
  }
  writeFileSync(path, String(port));
}

function readPortOrNull(path) {
  try {
    const port = Number(readFileSync(path, 'utf8'));
    return Number.isInteger(port) && port > 0 ? port : null;
  } catch {
    return null;
  }
}
