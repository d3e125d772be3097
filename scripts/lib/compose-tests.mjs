import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runJest } from './jest.mjs';
import { freePort } from './ports.mjs';
import { root } from './project.mjs';
import { capture, run } from './run.mjs';

const PORTS = ['GATEWAY_PORT', 'DOOR_PORT', 'GRAFANA_PORT', 'TLS_PORT'];

/**
 * Builds the images and runs the compose files for real, from a copy of the project as a fresh clone has it. Returns how many
 * tests passed and failed; where no engine can be had it says so, and both are 0.
 */
export async function runComposeTests(natsServer) {
  const folder = mkdtempSync(join(tmpdir(), 'compose-'));
  const copy = join(folder, 'openclaw-rl');
  try {
    await copyProject(copy);
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

async function runIn({ env, compose, canSignalContainers }, { copy, folder }) {
  const ports = Object.fromEntries(await Promise.all(PORTS.map(async (name) => [name, await freePort()])));
  const project = join(folder, 'project.json');
  const all = { ...env, ...ports };
  writeFileSync(project, JSON.stringify({ copy, compose, canSignalContainers, env: all, ports }));
  const [command, ...args] = compose.plain;
  console.log('Building the images ...');
  try {
    if ((await run(command, [...args, 'build'], { env: all, quiet: true })) !== 0) return { passed: 0, failed: 1 };
    return await runJest('compose', { env: { COMPOSE_PROJECT_FILE: project }, flags: ['--runInBand'] });
  } finally {
    await run(command, [...args, 'down', '--volumes', '--remove-orphans'], { env: all, quiet: true });
  }
}

/** What is in the repository, and what is new and not ignored. */
async function copyProject(to) {
  const listed = await capture('git', ['-C', root, 'ls-files', '--cached', '--others', '--exclude-standard', '-z']);
  for (const path of listed.split('\0').filter(Boolean)) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(root, path), join(to, path), { verbatimSymlinks: true });
  }
}
