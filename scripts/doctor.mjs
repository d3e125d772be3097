// npm run doctor: what is wrong, and what to do about it.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await runScript(async () => {
  const args = process.argv.slice(2);
  // Standard output belongs to the report.
  if (args.includes('--json')) console.log = console.error;
  await ensureInstalled();
  await ensureBuilt();
  process.exitCode = await run(projectNode(), [builtApp('doctor', 'main'), ...args], { env: projectEnv() });
});
