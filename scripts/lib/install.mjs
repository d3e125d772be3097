import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { root } from './project.mjs';
import { run } from './run.mjs';

const OLDEST_NODE = [20, 19];

/** Installs the dependencies if they are not those of the lock file. */
export async function ensureInstalled() {
  const old = oldNode();
  if (old !== null) throw new Problem(`${old.seen}: ${old.remedy}.`);
  if (isInstalled()) return;
  console.log('Installing dependencies (about a minute) ...');
  const code = await runNpm(['ci', '--include=dev', '--loglevel=error', '--no-audit', '--no-fund']);
  if (code !== 0) throw new Problem(`npm ci ended with code ${code}; its message above says why.`);
}

/** Runs npm, the one that has started this script if one has, and returns its exit code. */
export function runNpm(args, options) {
  const npm = process.env.npm_execpath;
  return npm?.endsWith('.js') ? run(process.execPath, [npm, ...args], options) : run('npm', args, options);
}

/** What is wrong with the Node that runs this, and what to do: `{ seen, remedy }`; null where it is new enough. */
export function oldNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return null;
  return { seen: `Node ${process.versions.node} is too old`, remedy: `install Node ${OLDEST_NODE.join('.')} or newer` };
}

/** npm writes what it installed when it is done; packages for other systems are missing there. */
function isInstalled() {
  const wanted = readPackagesOrNull('package-lock.json');
  const installed = readPackagesOrNull(join('node_modules', '.package-lock.json'));
  if (wanted === null || installed === null) return false;
  return Object.entries(wanted).every(([path, entry]) => {
    if (path === '') return true;
    const found = installed[path];
    return found === undefined ? entry.optional === true : found.version === entry.version;
  });
}

function readPackagesOrNull(path) {
  try {
    return JSON.parse(readFileSync(join(root, path), 'utf8')).packages;
  } catch {
    return null;
  }
}
