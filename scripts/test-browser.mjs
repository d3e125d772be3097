import { runBrowserTests } from './lib/browser-tests.mjs';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run test:browser. The console in chromium.
await runScript(async () => {
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  await ensureBuilt();
  const { passed, failed } = await runBrowserTests(binary);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
