import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
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

const CHECKS = {
  projects: checkProjects,
  format: () => runTool('prettier', 'bin/prettier.cjs', ['--check', '--log-level', 'warn', '.']),
  lint,
  types: () => runTool('typescript', 'bin/tsc', ['--noEmit', '-p', 'tsconfig.json']),
  'dependency rules': () =>
    runTool('dependency-cruiser', 'bin/dependency-cruise.mjs', [
      ...['--config', '.dependency-cruiser.cjs'],
      ...['apps', 'libs', 'test'],
    ]),
};

async function runTool(packageName, file, args) {
  const code = await run(projectNode(), [commandFile(packageName, file), ...args], { env: projectEnv(), quiet: true });
  return code === 0 ? null : `exit code ${code}`;
}

/** Lints every source file; a run that looked at fewer files than there are would prove nothing. */
async function lint() {
  const { ESLint } = createRequire(join(root, 'package.json'))('eslint');
  const eslint = new ESLint({ cwd: root });
  const results = await eslint.lintFiles(['.']);
  const formatter = await eslint.loadFormatter('stylish');
  const problems = await formatter.format(results);
  if (problems.trim() !== '') {
    console.error(problems);
    return 'problems above';
  }
  const linted = new Set(results.map((result) => result.filePath));
  const missed = sourceFiles().filter((file) => !linted.has(file));
  return missed.length === 0 ? null : `${missed.length} files were not looked at, e.g. ${missed[0]}`;
}

function sourceFiles() {
  return ['apps', 'libs', 'test'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .filter((path) => path.endsWith('.ts'))
      .map((path) => join(root, folder, path)),
  );
}

/** Every folder of apps/ and libs/ is built, and every project that is built exists. */
async function checkProjects() {
  const { projects } = JSON.parse(readFileSync(join(root, 'nest-cli.json'), 'utf8'));
  const known = new Set(Object.values(projects).map((project) => project.root));
  const folders = ['apps', 'libs'].flatMap((kind) => readdirSync(join(root, kind)).map((name) => `${kind}/${name}`));
  const forgotten = folders.filter((folder) => !known.has(folder));
  if (forgotten.length > 0) return `not in nest-cli.json: ${forgotten.join(', ')}`;
  const configs = Object.values(projects).map((project) => project.compilerOptions.tsConfigPath);
  const missing = configs.filter((path) => !existsSync(join(root, path)));
  return missing.length === 0 ? null : `nest-cli.json names missing files: ${missing.join(', ')}`;
}
