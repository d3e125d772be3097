// Lints every source file. Run under the project's own Node, which the lint rules need.
import { ESLint } from 'eslint';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './project.mjs';

const eslint = new ESLint({ cwd: root });
const results = await eslint.lintFiles(['.']);
const problems = await (await eslint.loadFormatter('stylish')).format(results);

// A run that looked at fewer files than there are would prove nothing.
const linted = new Set(results.map((result) => result.filePath));
const missed = ['apps', 'deploy', 'libs', 'test']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((path) => join(root, folder, path)))
  .filter((path) => /\.tsx?$/.test(path) && !linted.has(path));

if (problems.trim() !== '') console.error(problems);
if (missed.length > 0) console.error(`${missed.length} files were not looked at, e.g. ${missed[0]}`);
process.exitCode = problems.trim() !== '' || missed.length > 0 ? 1 : 0;
