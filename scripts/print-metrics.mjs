import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { loadTelemetryLibrary } from './lib/project.mjs';

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  console.log(loadTelemetryLibrary().metricsTable());
});
