import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findProgram } from '../lib/nats.mjs';
import { root } from '../lib/project.mjs';
import { capture, run } from '../lib/run.mjs';

/** What the compose files are written for: optional files of variables came with it. */
export const OLDEST_COMPOSE = '2.24';

const MODULE = 'github.com/docker/compose/v2';
const VERSION = 'v2.40.3';
const TOOLS = join(root, '.openclaw-rl', 'tools');
const BUILT = join(TOOLS, `docker-compose-${VERSION}`);

/** Whether `docker compose` is there and new enough. */
export async function hasCompose(env) {
  const said = await capture('docker', ['compose', 'version', '--short'], env);
  const [major, minor] = said.replace(/^v/, '').split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_COMPOSE.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

/**
 * Compose as a plugin of Docker's client: `{ plugin }`, its path, or `{ missing }`, a few words on why there is none. Distributions
 * may have a Compose that is too old, so Go builds it of its module, once; it is kept in a folder of this project.
 */
export async function buildCompose() {
  if (existsSync(BUILT)) return { plugin: BUILT };
  const go = findProgram('go', process.env, ['/usr/local/go/bin']);
  if (go === null)
    return { missing: `there is no Docker Compose ${OLDEST_COMPOSE} or later, and no Go to build it with` };
  console.log('Building Docker Compose, which takes some minutes the first time ...');
  mkdirSync(TOOLS, { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'build-compose-'));
  const flags = ['-trimpath', '-ldflags', `-s -w -X ${MODULE}/internal.Version=${VERSION}`, '-o', BUILT];
  const steps = [
    ['mod', 'init', 'tools'],
    ['get', `${MODULE}/cmd@${VERSION}`],
    ['build', ...flags, `${MODULE}/cmd`],
  ];
  try {
    for (const step of steps) {
      if ((await run(go, step, { cwd: folder, quiet: true })) !== 0) return { missing: `Go could not build ${MODULE}` };
    }
    return { plugin: BUILT };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
