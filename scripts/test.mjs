import { parseArgs } from 'node:util';
import { runBrowserTests } from './lib/browser-tests.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { runChecks } from './lib/checks.mjs';
import { runDashboardTests } from './lib/dashboard-tests.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runJest } from './lib/jest.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm test [-- --check]. With --check everything of `npm run check` comes first, and last the console in a
// browser and the dashboards. The last line is "N passed, N failed", for programs.
await runScript(async () => {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const total = { passed: 0, failed: 1 };
  try {
    await ensureInstalled();
    const { binary } = await findNatsServer({ allowDocker: false });
    total.failed = values.check && !(await runChecks()) ? 1 : 0;
    await ensureBuilt();
    const env = { NATS_SERVER_BIN: binary };
    for (const [project, ...flags] of [['unit'], ['integration'], ['input'], ['e2e', '--runInBand']]) {
      console.log(`\n${project} tests`);
      add(total, await runJest(project, { env, flags }));
    }
    if (values.check) {
      console.log('\nbrowser tests');
      add(total, await runBrowserTests(binary));
      console.log('\ndashboard tests');
      add(total, await runDashboardTests(binary));
    }
  } finally {
    process.exitCode = total.failed > 0 ? 1 : 0;
    process.on('exit', () => console.log(`${total.passed} passed, ${total.failed} failed`));
  }
});

function add(total, { passed, failed }) {
  total.passed += passed;
  total.failed += failed;
}
