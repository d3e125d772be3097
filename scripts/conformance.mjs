// Does an engine speak the protocol? One line per check; exit code 1 when one fails.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ensureBuilt } from './lib/build.mjs';
import { readConformanceOptions } from './lib/conformance-options.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';

await runScript(async () => {
  const target = readConformanceOptions(process.argv.slice(2));
  await ensureInstalled();
  await ensureBuilt();
  const built = join(root, 'dist/libs/testing/src/index.js');
  const { runConformance, formatReport } = await import(pathToFileURL(built).href);
  const results = await runConformance(target);
  console.log(formatReport(results));
  process.exitCode = results.some(({ outcome }) => outcome === 'fail') ? 1 : 0;
});
