import { runComposeTests } from './lib/compose-tests.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run test:compose. Builds the images and runs the compose files: health, chats, replicas, kills, restarts, TLS.
await runScript(async () => {
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  const { passed, failed } = await runComposeTests(binary);
  console.log(`${passed} passed, ${failed} failed`);
  if (failed > 0) process.exitCode = 1;
});
