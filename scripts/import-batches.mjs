// npm run trainer:import -- FOLDER: puts batches of the file backend into an empty store (nats.url, NATS_URL).
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const args = [builtApp('trainer', 'import.main'), ...process.argv.slice(2)];
  process.exitCode = await run(projectNode(), args, { env: projectEnv() });
});
