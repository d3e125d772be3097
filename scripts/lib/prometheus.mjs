import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from './nats.mjs';
import { root } from './project.mjs';
import { run, succeeds } from './run.mjs';

const TOOLS = join(root, '.openclaw-rl', 'tools');
const UNPACKED = join(TOOLS, 'prometheus');
const FETCH_MS = 120_000;

/**
 * A Prometheus to test with: `{ prometheus, promtool }`, or `{ missing }`, a few words on why there is none. Looks in the path, then
 * takes Debian's package, unpacked into a folder of this project: nothing is installed, and no service is started.
 */
export async function findPrometheus(env = process.env) {
  const found = programsIn(env);
  if (found !== null) return found;
  if (!existsSync(join(UNPACKED, 'usr', 'bin', 'prometheus'))) {
    const missing = await unpackDebianPackage(env);
    if (missing !== null) return { missing };
  }
  return {
    prometheus: join(UNPACKED, 'usr', 'bin', 'prometheus'),
    promtool: join(UNPACKED, 'usr', 'bin', 'promtool'),
  };
}

function programsIn(env) {
  const [prometheus, promtool] = ['prometheus', 'promtool'].map((name) => findProgram(name, env));
  return prometheus === null || promtool === null ? null : { prometheus, promtool };
}

/** Returns null when it is there, else why it cannot be had. */
async function unpackDebianPackage(env) {
  const aptGet = findProgram('apt-get', env, ['/usr/bin']);
  if (aptGet === null) return 'there is no prometheus and promtool in the path, and no apt-get to get them with';
  console.log("Fetching Debian's package of Prometheus ...");
  mkdirSync(TOOLS, { recursive: true });
  const folder = mkdtempSync(join(TOOLS, 'fetch-'));
  try {
    const fetch = () => run(aptGet, ['download', '--quiet', 'prometheus'], { cwd: folder, env, quiet: true });
    const isFetched =
      (await succeeds('apt-cache', ['show', 'prometheus'], FETCH_MS)) ||
      (await run(aptGet, ['update', '--quiet'], { env, quiet: true })) === 0;
    if (!isFetched || (await fetch()) !== 0) return 'apt-get could not fetch the package prometheus';
    const [file] = readdirSync(folder).filter((name) => name.endsWith('.deb'));
    const unpacked = join(folder, 'unpacked');
    if ((await run('dpkg', ['-x', join(folder, file), unpacked], { env, quiet: true })) !== 0)
      return 'dpkg could not unpack it';
    rmSync(UNPACKED, { recursive: true, force: true });
    renameSync(unpacked, UNPACKED);
    return null;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
