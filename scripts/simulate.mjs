import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { runScript } from './lib/problem.mjs';
import { loadConfigLibrary, loadScalingLibrary, projectNode, root } from './lib/project.mjs';
import { run } from './lib/run.mjs';
import { readOptions, HELP } from './simulate/options.mjs';
import { report } from './simulate/report.mjs';
import { trialsOf } from './simulate/trials.mjs';

await runScript(async () => {
  const options = readOptions();
  if (options.help) return console.log(HELP);
  await ensureInstalled();
  await ensureBuilt();
  if (options.check) return check(options);
  const library = loadScalingLibrary();
  const measured = JSON.parse(readFileSync(join(root, 'docs', 'scaling.json'), 'utf8'));
  if (options.table) return console.log(tables(library, measured));
  const settings = loadConfigLibrary().loadSettings(process.env);
  const simulated = trialsOf(options, { measured, settings }, library);
  console.log(options.json ? JSON.stringify(simulated) : report(simulated, library));
});

/** The tables of docs/scaling.md. */
function tables(library, measured) {
  const { demandTable, servicesTable, storesTable, streamTable, TABLE_USERS, DEFAULT_INSTALLATION } = library;
  const demand = demandTable(TABLE_USERS, DEFAULT_INSTALLATION, measured);
  return [servicesTable(measured), storesTable(measured), streamTable(measured), demand].join('\n\n');
}

/** The real services against the simulation. */
async function check({ seed }) {
  const { binary } = await findNatsServer({ allowDocker: false });
  const env = { ...process.env, NATS_SERVER_BIN: binary };
  process.exitCode = await run(projectNode(), ['bench/queues.mjs', '--seed', String(seed)], { env });
}
