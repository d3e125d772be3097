import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judging } from '../deploy/grafana/source/judging.mjs';
import { operations } from '../deploy/grafana/source/operations.mjs';
import { overview } from '../deploy/grafana/source/overview.mjs';
import { serving } from '../deploy/grafana/source/serving.mjs';
import { training } from '../deploy/grafana/source/training.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { root } from './lib/project.mjs';

const DASHBOARDS = { overview, serving, judging, training, operations };

// Usage: npm run dashboards. Writes the dashboards that Grafana reads from their source in deploy/grafana/source; with --check
// it only says whether they are those of the source.
await runScript(async () => {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  for (const [name, dashboard] of Object.entries(DASHBOARDS)) {
    const path = join(root, 'deploy', 'grafana', 'dashboards', `${name}.json`);
    const text = `${JSON.stringify(dashboard, null, 2)}\n`;
    if (!values.check) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) throw new Problem(`${path} is not of its source: npm run dashboards`);
  }
});
