import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { commandFile, projectEnv, projectNode } from './lib/project.mjs';
import { run } from './lib/run.mjs';

const HELP = `Kills real processes, takes NATS, the judge and the disk away, and compares what the clients remember with what was stored.

npm run test:crash -- [options]
  --seed N       plan of the conversations, kills and times (default: a new one, printed)
  --turns N      answers that the clients wait for (default 200)
  --clients N    clients at once (default 8)
  --kills N      kills of each service and of NATS (default 5)
  --away S       seconds that NATS and the judge are away (default 60)
  --only TEXT    only scenarios whose name has TEXT in it
  --help         this text

The same seed brings the same conversations and the same order of kills; where a kill meets a process is up to the machine.`;

const NUMBERS = {
  seed: 'CRASH_SEED',
  turns: 'CRASH_TURNS',
  clients: 'CRASH_CLIENTS',
  kills: 'CRASH_KILLS',
  away: 'CRASH_AWAY_S',
};

await runScript(async () => {
  const values = readOptions();
  if (values.help) return console.log(HELP);
  const asked = Object.keys(NUMBERS).filter((name) => values[name] !== undefined);
  const numbers = Object.fromEntries(asked.map((name) => [NUMBERS[name], wholeNumber(name, values[name])]));
  await ensureInstalled();
  const { binary } = await findNatsServer({ allowDocker: false });
  await ensureBuilt();
  const only = values.only === undefined ? [] : ['--testNamePattern', values.only];
  const args = [commandFile('jest', 'bin/jest.js'), '--selectProjects', 'crash', '--runInBand', ...only];
  process.exitCode = await run(projectNode(), args, { env: projectEnv({ NATS_SERVER_BIN: binary, ...numbers }) });
});

function readOptions() {
  try {
    const text = { type: 'string' };
    const options = { seed: text, turns: text, clients: text, kills: text, away: text, only: text };
    return parseArgs({ options: { ...options, help: { type: 'boolean', short: 'h', default: false } } }).values;
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

function wholeNumber(name, text) {
  if (!/^\d{1,10}$/.test(text)) throw new Problem(`--${name} is ${JSON.stringify(text)}; allowed: a whole number`);
  return text;
}
