import { randomBytes } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runJest } from './jest.mjs';
import { freePort } from './ports.mjs';
import { root } from './project.mjs';
import { capture, run } from './run.mjs';

const PORTS = ['GATEWAY_PORT', 'DOOR_PORT', 'GRAFANA_PORT', 'TLS_PORT'];
/** Profiles whose images are of this project, or are among them. */
const BUILT = ['pocket', 'doctor', 'bus-admin'];
const LONGEST_MS = 50 * 60_000;

/** What a careless operator has lying around in the project, and no image may hold. */
const LITTER = [
  '.git/token',
  '.npmrc',
  '.env.local',
  'openclaw-rl.toml',
  'deploy/settings.env',
  'deploy/secrets/nats.env',
];

/**
 * Builds the images and runs the compose files for real, from a fresh clone of the project as it is here. Returns how many
 * tests passed and failed; where no engine can be had it says so, and both are 0.
 */
export async function runComposeTests(natsServer) {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  const copy = join(folder, 'openclaw-rl');
  try {
    await cloneProject(join(folder, 'origin'), copy);
    // Needs a package, which a fresh clone has only once it is installed.
    const { findEngine } = await import('../compose/engine.mjs');
    const engine = await findEngine(copy, folder, natsServer);
    if (engine.missing !== undefined) {
      console.log(`Skipped: ${engine.missing}. The compose files are not run.`);
      return { passed: 0, failed: 0 };
    }
    try {
      return await runIn(engine, { copy, folder });
    } finally {
      await engine.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

async function runIn({ env: engineEnv, canSignalContainers }, { copy, folder }) {
  const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, await freePort()])));
  const env = { ...engineEnv, ...ports, COMPOSE_PROJECT_NAME: 'openclaw-rl-test' };
  const file = join(folder, 'project.json');
  const secret = `k${randomBytes(24).toString('hex')}`;
  writeFileSync(file, JSON.stringify({ copy, canSignalContainers, env, ports, secret }));
  const compose = (...args) => run('docker', ['compose', ...args], { env, cwd: copy, quiet: true });
  console.log('Building the images ...');
  try {
    leaveLitter(copy, secret);
    const profiles = BUILT.flatMap((profile) => ['--profile', profile]);
    if ((await compose(...profiles, 'build')) !== 0) return { passed: 0, failed: 1 };
    clearLitter(copy);
    const flags = ['--runInBand'];
    return await runJest('compose', { env: { COMPOSE_PROJECT_FILE: file }, flags, timeoutMs: LONGEST_MS });
  } finally {
    await compose('--profile', '*', 'down', '--volumes', '--remove-orphans');
  }
}

/** A clone of what is in the repository, and of what is new and not ignored. */
async function cloneProject(origin, to) {
  const listed = await capture('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  for (const path of listed.split('\0').filter((each) => each !== '' && existsSync(join(root, each)))) {
    mkdirSync(dirname(join(origin, path)), { recursive: true });
    // Also what a link to a folder is: a link.
    cpSync(join(root, path), join(origin, path), { recursive: true, verbatimSymlinks: true });
  }
  const git = (...args) => run('git', args, { cwd: origin, quiet: true });
  await git('init', '--quiet', '--initial-branch', 'main');
  await git('config', 'user.name', 'test');
  await git('config', 'user.email', 'test@localhost');
  await git('add', '--all', '--force');
  await git('commit', '--quiet', '--message', 'The project');
  await git('clone', '--quiet', origin, to);
}

function leaveLitter(copy, secret) {
  for (const path of LITTER) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), `# ${secret}\n`);
  }
}

function clearLitter(copy) {
  for (const path of LITTER) rmSync(join(copy, path));
  rmdirSync(join(copy, 'deploy', 'secrets'));
}
