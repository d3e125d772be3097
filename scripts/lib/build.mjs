import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { commandFile, projectEnv, projectNode, root } from './project.mjs';
import { run } from './run.mjs';

const STAMP = join(root, 'dist', '.sources');
const LIBRARIES = ['testing', 'pocket-lm', 'experiment', 'scaling'];

/** Builds everything that runs, if the sources are not those of the last build. */
export async function ensureBuilt() {
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === hashSources() && missingFiles().length === 0) return;
  await build();
}

/** Builds everything that runs, from nothing, and notes of which sources. */
export async function build() {
  const sources = hashSources();
  console.log('Building ...');
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  const nest = commandFile('@nestjs/cli', 'bin/nest.js');
  const code = await run(projectNode(), [nest, 'build', ...projectsThatRun()], { env: projectEnv(), quiet: true });
  if (code !== 0) throw new Problem(`The build ended with code ${code}; its message above says why.`);
  await buildConsole();
  const [missing] = missingFiles();
  if (missing !== undefined)
    throw new Problem(`The build lacks ${missing}: another command built at the same time. Run this one again.`);
  writeFileSync(STAMP, sources);
}

/** The console's page, into dist/apps/console/public. */
export async function buildConsole() {
  const vite = commandFile('vite', 'bin/vite.js');
  const config = join(root, 'apps', 'console', 'vite.config.mjs');
  const code = await run(projectNode(), [vite, 'build', '--config', config], { env: projectEnv(), quiet: true });
  if (code !== 0) throw new Problem(`The console's build ended with code ${code}; its message above says why.`);
}

/** Every app, and the libraries that scripts run: the engine double, the pocket model, the experiment and the arithmetic of scale. Each compiles the libraries that it uses along. */
function projectsThatRun() {
  return [...appsThatRun(), ...LIBRARIES];
}

function appsThatRun() {
  const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  return Object.keys(projects).filter((name) => projects[name].type === 'application');
}

/** What a whole build would have and this one has not. */
function missingFiles() {
  const files = [
    ...appsThatRun().map((app) => join('dist', 'apps', app, 'src', 'main.js')),
    ...LIBRARIES.map((library) => join('dist', 'libs', library, 'src', 'index.js')),
    join('dist', 'apps', 'console', 'public', 'index.html'),
  ];
  return files.filter((file) => !existsSync(join(root, file)));
}

function hashSources() {
  const hash = createHash('sha256');
  const files = ['apps', 'libs'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.spec.ts'))
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  );
  const settings = ['nest-cli.json', 'tsconfig.json', 'package-lock.json'].map((name) => join(root, name));
  for (const file of [...files, ...settings].sort()) hash.update(file).update('\0').update(readFileSync(file));
  return hash.digest('hex');
}
