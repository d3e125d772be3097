// Runs the pocket model's engine until Ctrl-C. Settings: [pocket]; npm run settings lists them.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  process.on('SIGINT', () => undefined);
  const forward = ['SIGTERM', 'SIGHUP'];
  process.exitCode = await run(projectNode(), [builtApp('pocket-engine', 'main')], { env: projectEnv(), forward });
});
