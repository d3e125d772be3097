import { ensureBuilt } from './lib/build.mjs';
import { runDashboardTests } from './lib/dashboard-tests.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run test:dashboards. Does every panel show something, and does every alert watch something?
await runScript(async () => {
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  await ensureBuilt();
  const { passed, failed } = await runDashboardTests(binary);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
