import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandFile, projectEnv, projectNode, root } from './project.mjs';
import { run } from './run.mjs';

/** Format, lint, types, dependency rules, build projects. Stops at the first that fails; returns whether all passed. */
export async function runChecks() {
  for (const [name, check] of Object.entries(CHECKS)) {
    const startedAt = Date.now();
    const complaint = await check();
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    console.log(
      `${complaint === null ? 'ok    ' : 'FAILED'} ${name} (${seconds} s)${complaint ? `: ${complaint}` : ''}`,
    );
    if (complaint !== null) return false;
  }
  return true;
}

const COMPOSE_FILES = ['compose.yaml', 'deploy/docker-compose.yml', 'deploy/tls.yml'];

/** Of the browser, and built by vite. */
const CONSOLE = 'apps/console';

const CHECKS = {
  projects: checkProjects,
  format: () => runTool('prettier', 'bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
  lint: () => runNode([join(root, 'scripts', 'lib', 'lint.mjs')]),
  types: () => runTool('typescript', 'bin/tsc', ['--noEmit', '-p', 'tsconfig.json']),
  "the console's types": () => runTool('typescript', 'bin/tsc', ['--noEmit', '-p', CONSOLE]),
  'compose files': () => runTool('dclint', 'bin/dclint.cjs', ['--max-warnings', '0', ...COMPOSE_FILES]),
  dashboards: () => runNode([join(root, 'scripts', 'build-dashboards.mjs'), '--check']),
  'helm chart': () => runNode([join(root, 'scripts', 'check-chart.mjs')], { quiet: false }),
  'dependency rules': () =>
    runTool('dependency-cruiser', 'bin/dependency-cruiser.mjs', [
      ...['--config', '.dependency-cruiser.cjs'],
      ...['apps', 'libs', 'test'],
    ]),
};

function runTool(packageName, file, args) {
  return runNode([commandFile(packageName, file), ...args]);
}

async function runNode(args, { quiet = true } = {}) {
  const code = await run(projectNode(), args, { env: projectEnv(), quiet });
  return code === 0 ? null : `exit code ${code}`;
}

/** Every folder of apps/ and libs/ is built, and every project that is built exists. */
async function checkProjects() {
  const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  const known = new Set(Object.values(projects).map((project) => project.root));
  const folders = ['apps', 'libs'].flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`));
  const forgotten = folders.filter((folder) => !known.has(folder) && folder !== CONSOLE);
  if (forgotten.length > 0) return `not in nest-cli.json: ${forgotten.join(', ')}`;
  const configs = Object.values(projects).map((project) => project.compilerOptions.tsConfigPath);
  const missing = configs.filter((path) => !existsSync(join(root, path)));
  return missing.length === 0 ? null : `nest-cli.json names missing files: ${missing.join(', ')}`;
}
