import { findHelm } from './lib/helm.mjs';
import { CHART, render } from './lib/chart.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: node scripts/render-chart.mjs FILE.... The chart's manifests for each file of values as JSON, null where there is no Helm.
await runScript(async () => {
  const { helm } = await findHelm();
  const files = process.argv.slice(2);
  console.log(JSON.stringify(helm === undefined ? null : files.map((file) => render(helm, CHART, file))));
});
