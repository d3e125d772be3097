import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectEnv, projectNode, root } from '../lib/project.mjs';
import { run, succeeds } from '../lib/run.mjs';

const VERSION = '2026.9.6';
const OLDEST_NODE = '24.16';
const FOLDER = join(root, '.openclaw-rl', 'openclaw-client');

/** Installs the real client, once. Returns `{ entry }`, the file to run, or `{ missing }`, a sentence on why there is none. */
export async function installClient() {
  const folder = join(FOLDER, VERSION);
  const entry = join(folder, 'node_modules', 'openclaw', 'openclaw.mjs');
  const installed = join(folder, '.installed');
  if (!existsSync(installed)) {
    console.log(`Installing openclaw@${VERSION} (650 MB, about half a minute; kept in .openclaw-rl) ...`);
    const code = await install(folder);
    if (code !== 0) return { missing: `openclaw@${VERSION} could not be installed: npm ended with code ${code}` };
    writeFileSync(installed, '');
  }
  if (await succeeds(projectNode(), [entry, '--version'], 60_000)) return { entry };
  return { missing: `openclaw@${VERSION} does not run on this machine; it needs Node ${OLDEST_NODE} or newer` };
}

async function install(folder) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, dependencies: { openclaw: VERSION } }));
  const quick = ['--fetch-retry-mintimeout=2000', '--fetch-retry-maxtimeout=8000'];
  const quiet = ['--no-audit', '--no-fund', '--loglevel=error'];
  const args = ['install', '--prefix', folder, '--ignore-scripts=false', ...quick, ...quiet];
  return run('npm', args, { cwd: folder, env: projectEnv(), quiet: true });
}
