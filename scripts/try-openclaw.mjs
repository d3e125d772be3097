import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { withQuietSupervisor } from './lib/quiet-stack.mjs';
import { OpenClaw } from './openclaw/client.mjs';
import { chooseClients, COMPACT_AFTER, scriptFor } from './openclaw/conversation.mjs';
import { checkResults } from './openclaw/expectations.mjs';
import { installClient } from './openclaw/install-client.mjs';
import { checkHeaders, usePlugin } from './openclaw/plugin.mjs';
import { table } from './openclaw/report.mjs';
import { collectResults, endSessions } from './openclaw/results.mjs';
import { startStack } from './openclaw/stack.mjs';
import { Tap } from './openclaw/tap.mjs';
import { WeightUpdates } from './openclaw/updates.mjs';

const HELP = `Has a real OpenClaw talk to the stack and shows the training samples that come out.
The model and the judge are a double with scripted answers; everything else is real.

npm run try:openclaw -- [options]
  --clients 2    two clients at once, in sessions of their own
  --headers      clients that send session headers; without it, a stock client that sends none
  --plugin       a client with the plugin of deploy/openclaw-plugin (one client)
  --updates      new weights three times, each while a client waits for its reply (one client)
  --help         this text`;

await runScript(async () => {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  await ensureInstalled();
  await ensureBuilt();
  const { entry, missing } = await installClient();
  if (missing !== undefined) return console.log(`Skipped: ${missing}. Nothing else needs it.`);
  await withQuietSupervisor('try-openclaw', (context) => tryIt({ ...context, ...options, entry }));
});

function readOptions() {
  const { values } = parse();
  if (values.help) return null;
  if (values.clients !== '1' && values.clients !== '2') {
    throw new Problem(`--clients is ${JSON.stringify(values.clients)}; allowed: 1 or 2`);
  }
  for (const name of ['updates', 'plugin']) {
    if (values[name] && values.clients !== '1') throw new Problem(`--${name} goes with one client`);
  }
  if (values.plugin && (values.headers || values.updates)) throw new Problem('--plugin goes with no other option');
  const { headers: sendsHeaders, plugin: hasPlugin, updates } = values;
  return { clients: chooseClients(Number(values.clients)), sendsHeaders, hasPlugin, updates };
}

function parse() {
  try {
    return parseArgs({
      options: {
        clients: { type: 'string', default: '1' },
        headers: { type: 'boolean', default: false },
        plugin: { type: 'boolean', default: false },
        updates: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

async function tryIt({ folder, supervisor, signal, clients, sendsHeaders, hasPlugin, updates, entry }) {
  console.log('Starting the stack, with an engine double as policy and judge ...');
  const stack = await startStack(supervisor, { folder, script: scriptFor(clients) });
  const kind = kindOf({ sendsHeaders, hasPlugin });
  console.log(`Starting ${clients.length === 1 ? 'OpenClaw' : 'two OpenClaws'}, ${kind} ...`);
  const tap = hasPlugin ? await Tap.start(stack.gatewayUrl, signal) : null;
  const baseUrl = `${tap?.url ?? stack.gatewayUrl}/v1`;
  const options = { entry, baseUrl, sendsHeaders, hasPlugin, signal };
  const startClient = (client) => OpenClaw.start(supervisor, { ...options, home: join(folder, client.name), client });
  const openclaws = await Promise.all(clients.map(startClient));
  console.log('Talking ...');
  const weights = updates ? new WeightUpdates(stack) : null;
  await Promise.all(clients.map((client, index) => talk(openclaws[index], client, weights)));
  if (weights !== null) await checkVersion(weights);
  const sessions = tap === null ? clients : await usePlugin(openclaws[0], tap, clients[0]);
  await endSessions(stack, sessions);
  const results = await collectResults(stack, { signal });
  tap?.stop();
  const ofPlugin = tap === null ? [] : checkHeaders(tap, openclaws[0].replies, sessions);
  show(results, sessions, [...checkResults(results, { clients: sessions, sendsHeaders }), ...ofPlugin]);
}

function kindOf({ sendsHeaders, hasPlugin }) {
  if (hasPlugin) return 'with the plugin';
  return sendsHeaders ? 'with session headers' : 'as it comes, without session headers';
}

async function talk(openclaw, { name, says }, weights) {
  for (const [index, message] of says.entries()) {
    console.log(`  ${name}: ${message}`);
    // The first message has a tool call; behind it, each reply has to come through an update.
    if (weights === null || index === 0) await openclaw.say(message);
    else await weights.around(() => openclaw.say(message));
    if (index + 1 !== COMPACT_AFTER) continue;
    console.log(`  ${name}: (compacts the conversation)`);
    await openclaw.compact();
  }
}

async function checkVersion(weights) {
  const version = await weights.version();
  console.log(`New weights ${weights.done} times, every reply arrived; the policy is version ${version}.`);
  if (version !== weights.done) throw new Problem(`The policy version is ${version}, not ${weights.done}.`);
}

function show(results, clients, checks) {
  const { sample = 0, ...reasons } = results.outcomes;
  const list = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`);
  console.log(table(results, clients).join('\n'));
  console.log(`\nLeased at the trainer's door: ${results.samples.length} of ${sample} samples.`);
  console.log(`Turns without a sample: ${list.join(', ')}.\n`);
  for (const { rule, complaint } of checks) console.log(`${complaint === null ? 'ok    ' : 'FAILED'} ${rule}`);
  const complaints = checks.flatMap(({ complaint }) => complaint ?? []);
  if (complaints.length > 0) throw new Problem(`Not as expected: ${complaints.join('; ')}.`);
}
