import { build } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { runScript } from './lib/problem.mjs';

// Usage: npm run build. Builds everything that runs into dist/, also if the last build was of the same sources.
await runScript(async () => {
  await ensureInstalled();
  await build();
});
