import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { Problem } from './problem.mjs';
import { run, succeeds } from './run.mjs';

const USUAL_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/usr/local/bin', '/usr/bin', '/opt/homebrew/bin'];
const SURROUNDINGS = { env: process.env, usualFolders: USUAL_FOLDERS, isRoot: process.getuid?.() === 0 };
const DOCKER_IMAGE = 'nats:2.10-alpine';

/** Package managers that carry nats-server, how they install it, and what to tell a user who must do it himself. */
const PACKAGE_MANAGERS = [
  {
    command: 'apt-get',
    asRoot: true,
    steps: [['update'], ['install', '-y', '--no-install-recommends', 'nats-server']],
    hint: 'sudo apt-get update && sudo apt-get install -y nats-server',
  },
  { command: 'apk', asRoot: true, steps: [['add', 'nats-server']], hint: 'sudo apk add nats-server' },
  { command: 'dnf', asRoot: true, steps: [['install', '-y', 'nats-server']], hint: 'sudo dnf install -y nats-server' },
  {
    command: 'pacman',
    asRoot: true,
    steps: [['-Sy', '--noconfirm', 'nats-server']],
    hint: 'sudo pacman -S nats-server',
  },
  { command: 'brew', asRoot: false, steps: [['install', 'nats-server']], hint: 'brew install nats-server' },
];

/**
 * A nats-server to start: `{ binary }`, `{ dockerImage }`, or a problem with one sentence on what to do.
 * Looks at NATS_SERVER_BIN, the path, the system's package manager, Docker, in this order.
 */
export async function findNatsServer({ allowDocker = true, ...surroundings } = {}) {
  const { env, usualFolders, isRoot } = { ...SURROUNDINGS, ...surroundings };
  const binary = await findOrInstallBinary({ env, usualFolders, isRoot });
  if (binary !== null) return { binary };
  const docker = findProgram('docker', env, usualFolders);
  if (allowDocker && docker !== null && (await succeeds(docker, ['info'], 10_000))) {
    return { docker, dockerImage: DOCKER_IMAGE };
  }
  throw new Problem(adviceFor(env));
}

async function findOrInstallBinary({ env, usualFolders, isRoot }) {
  if (env.NATS_SERVER_BIN) {
    if (isExecutable(env.NATS_SERVER_BIN)) return env.NATS_SERVER_BIN;
    throw new Problem(`NATS_SERVER_BIN is ${JSON.stringify(env.NATS_SERVER_BIN)}: there is no program of that name.`);
  }
  const known = findProgram('nats-server', env, usualFolders);
  if (known !== null) return known;
  const manager = packageManager(env);
  if (manager === null || manager.asRoot !== isRoot) return null;
  console.log(`Installing nats-server with ${manager.command} ...`);
  for (const step of manager.steps) {
    const code = await run(manager.path, step, { env: { ...env, DEBIAN_FRONTEND: 'noninteractive' }, quiet: true });
    if (code !== 0) return null;
  }
  return findProgram('nats-server', env, usualFolders);
}

function packageManager(env) {
  for (const manager of PACKAGE_MANAGERS) {
    const path = findProgram(manager.command, env);
    if (path !== null) return { ...manager, path };
  }
  return null;
}

function adviceFor(env) {
  const hint = packageManager(env)?.hint ?? 'see https://nats.io/download';
  return `No nats-server was found. Install it (${hint}), or set NATS_URL to a server that runs, and start again.`;
}

/** A program in the path, or in one of some more folders; null if there is none. */
export function findProgram(name, env, more = []) {
  const folders = [...(env.PATH ?? '').split(delimiter).filter((folder) => folder !== ''), ...more];
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
