import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { findHelm } from './lib/helm.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';

// Usage: npm run chart [-- [--chart FOLDER] FILE...]. Lints the chart, and checks its manifests for each file of values; without files,
// for the examples.
await runScript(async () => {
  await ensureInstalled();
  const { CHART, complaintsAboutChart, EXAMPLES } = await import('./lib/chart.mjs');
  const { helm, missing } = await findHelm();
  if (helm === undefined) {
    console.log(`SKIPPED: ${missing}.`);
    return;
  }
  const { values, positionals } = parseArgs({
    options: { chart: { type: 'string', default: CHART } },
    allowPositionals: true,
  });
  const files = positionals.length > 0 ? positionals : EXAMPLES;
  const found = await Promise.all(
    files.map(async (file) =>
      (await complaintsAboutChart(helm, values.chart, file)).map((text) => `${relative(root, file)}: ${text}`),
    ),
  );
  if (found.flat().length > 0) throw new Problem(found.flat().join('\n'));
});
