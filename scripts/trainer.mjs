// Runs the trainer of this repository until Ctrl-C. Settings: [trainer], [rl], [door]; npm run settings lists them.
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  // The terminal sends Ctrl-C to the trainer too: it finishes its round, and this waits for it.
  process.on('SIGINT', () => undefined);
  const forward = ['SIGTERM', 'SIGHUP'];
  process.exitCode = await run(projectNode(), [builtApp('trainer', 'main')], { env: projectEnv(), forward });
});
