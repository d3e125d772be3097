import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';
import { projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

// npm run bench [-- --seconds N --only NAME --json]; npm run bench:updates names the other bench in its first argument.
await runScript(async () => {
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  await ensureBuilt();
  const env = { ...process.env, NATS_SERVER_BIN: binary };
  const [first = '', ...rest] = process.argv.slice(2);
  const args = first.endsWith('.mjs') ? [`bench/${first}`, ...rest] : ['bench/run.mjs', ...process.argv.slice(2)];
  process.exitCode = await run(projectNode(), args, { env });
});
