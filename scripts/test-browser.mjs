import { ensureBuilt } from './lib/build.mjs';
import { findChromium } from './lib/chromium.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runJest } from './lib/jest.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run test:browser. The console in a real browser, in front of a real stack.
await runScript(async () => {
  await ensureInstalled();
  const { chromium, missing } = await findChromium();
  if (missing !== undefined) {
    console.log(`Skipped: ${missing}. The console is not tested in a browser.`);
    console.log('0 passed, 0 failed');
    return;
  }
  const { binary } = await findNatsServer({ allowDocker: false });
  await ensureBuilt();
  const env = { CHROMIUM_BIN: chromium, NATS_SERVER_BIN: binary };
  const { passed, failed } = await runJest('browser', { env, flags: ['--runInBand'] });
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
