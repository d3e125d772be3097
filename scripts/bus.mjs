// npm run bus -- COMMAND: backup and restore of what NATS holds. A store that no NATS server has open gets one for the time.
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { freePort } from './lib/ports.mjs';
import { runScript } from './lib/problem.mjs';
import { builtApp, loadConfigLibrary, projectEnv, projectNode, root } from './lib/project.mjs';
import { QuietSupervisor } from './lib/quiet-supervisor.mjs';
import { run } from './lib/run.mjs';
import { readRunningSettings } from './lib/running.mjs';
import { natsSpec } from './lib/services.mjs';
import { requireUnusedStore } from './lib/state.mjs';

await runScript(async () => {
  const { state, help, rest } = readState(process.argv.slice(2));
  await ensureInstalled();
  await ensureBuilt();
  const supervisor = new QuietSupervisor();
  try {
    const env = projectEnv(help ? {} : await natsEnv(supervisor, resolve(root, state)));
    process.exitCode = await run(projectNode(), [builtApp('bus-admin', 'main'), ...rest], { env });
  } finally {
    await supervisor.stop();
  }
});

/** What concerns the folder of npm start is for this script; the rest is the command's own. */
function readState(args) {
  const options = { state: { type: 'string', default: '.openclaw-rl' }, help: { type: 'boolean', short: 'h' } };
  const { values, tokens } = parseArgs({ args, options, strict: false, allowPositionals: true, tokens: true });
  const own = tokens.filter(({ kind, name }) => kind === 'option' && name === 'state');
  const taken = new Set(own.flatMap(({ index, inlineValue }) => (inlineValue ? [index] : [index, index + 1])));
  return { state: values.state, help: values.help ?? false, rest: args.filter((_, index) => !taken.has(index)) };
}

/** Where NATS is, unless the settings say so: that of the stack that runs, or one that is started on its store. */
async function natsEnv(supervisor, stateDir) {
  const config = loadConfigLibrary();
  if (config.configuredSettings(process.env).has('nats.url')) return {};
  const running = readRunningSettings(stateDir);
  if (running !== null) return running;
  const { nats } = config.loadSettings(process.env);
  const port = await freePort();
  await requireUnusedStore(stateDir, port);
  await supervisor.start([natsSpec(await findNatsServer(), { port, stateDir, storeGb: nats.storeGb })]);
  return { OPENCLAW_RL_NATS_URL: `nats://127.0.0.1:${port}` };
}
