import { findChromium } from './chromium.mjs';
import { runJest } from './jest.mjs';

/** The console in a real browser, in front of a real stack. Where there is no browser, says so and counts nothing. */
export async function runBrowserTests(natsServer) {
  const { chromium, missing } = await findChromium();
  if (missing !== undefined) {
    console.log(`Skipped: ${missing}. The console is not tested in a browser.`);
    return { passed: 0, failed: 0 };
  }
  return runJest('browser', {
    env: { CHROMIUM_BIN: chromium, NATS_SERVER_BIN: natsServer },
    flags: ['--runInBand'],
  });
}
