import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { findNatsServer } from './lib/nats.mjs';
import {
  isPocketPortFixed,
  isTrainerWanted,
  pocketTokenizerEnv,
  pocketTrainerEnv,
  providePocketEngines,
  usesPocketModel,
} from './lib/pocket-stack.mjs';
import { answers, freePort, reachedAt, requireFreePort } from './lib/ports.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { loadConfigLibrary, loadContractsLibrary, loadPoolsLibrary, root } from './lib/project.mjs';
import { isPolicyReachable, isReachable } from './lib/reachable.mjs';
import { forgetRunning, noteRunning } from './lib/running.mjs';
import { appSpec, natsSpec } from './lib/services.mjs';
import { requireUnusedStore } from './lib/state.mjs';
import { summary } from './lib/summary.mjs';
import { Supervisor } from './lib/supervisor.mjs';

const HELP = `Starts the whole stack: gateway, session tracker, judge, hint teacher (with rl.algorithm opd or hybrid), trainer's door, and a
NATS server of its own. Without server.base_url also the pocket model's engine, and the trainer that teaches it.

npm start -- [options]
  --judges N     replicas of the judge (default 1)
  --state PATH   folder of the store, of the pocket model's weights, and of records without records.dir (default .openclaw-rl)
  --help         this text

Settings come from openclaw-rl.toml and the environment; npm run settings lists them.`;

// One Ctrl-C arrives twice: from the terminal, and from npm, which passes it on.
const SAME_KEYPRESS_MS = 1000;

await runScript(async () => {
  const options = readOptions();
  if (options === null) return console.log(HELP);
  await ensureInstalled();
  await ensureBuilt();
  const config = loadConfigLibrary();
  const settings = config.loadSettings(process.env);
  loadPoolsLibrary().requirePools(settings);
  await refuseTakenPorts(config, settings, options);
  await supervise(config, settings, options);
});

function readOptions() {
  const { values } = parse();
  if (values.help) return null;
  const judges = Number(values.judges);
  if (!Number.isInteger(judges) || judges < 1 || judges > 64) {
    throw new Problem(`--judges is ${JSON.stringify(values.judges)}; allowed: a whole number from 1 to 64`);
  }
  return { judges, stateDir: resolve(root, values.state) };
}

function parse() {
  try {
    return parseArgs({
      options: {
        judges: { type: 'string', default: '1' },
        state: { type: 'string', default: '.openclaw-rl' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    throw new Problem(`${error.message}\n\n${HELP}`);
  }
}

/** Nobody is asked for scores where hints alone train. */
function judgeCount({ rl }, judges) {
  return rl.asksJudge ? judges : 0;
}

/** Nobody is asked for hints where rewards alone train. */
function teacherCount({ rl }) {
  return rl.asksTeacher ? 1 : 0;
}

async function refuseTakenPorts(config, settings, { judges }) {
  const { gateway, door, metrics, pocket } = settings;
  // Nobody is told to take a port for one that another of ours asks for.
  const reserved = [gateway, door, metrics, pocket].map((section) => section.port);
  const envOf = (path) => config.describeSettings().find((row) => row.path === path).env;
  const require = (section, path, port = section.port) =>
    requireFreePort({ host: section.host, port, path, env: envOf(path), reserved });
  await require(gateway, 'gateway.port');
  await require(door, 'door.port');
  const configured = config.configuredSettings(process.env);
  if (isPocketPortFixed(settings, configured)) await require(pocket, 'pocket.port');
  if (metrics.port === 0) return;
  const isTrained = isTrainerWanted(settings, configured);
  const count = 1 + judgeCount(settings, judges) + teacherCount(settings) + (isTrained ? 1 : 0);
  for (let index = 0; index < count; index += 1) await require(metrics, 'metrics.port', metrics.port + index);
}

/** Runs everything until a signal ends it. */
async function supervise(config, settings, options) {
  const supervisor = new Supervisor();
  const stopped = stopOnSignal(supervisor);
  try {
    await Promise.race([startAll(supervisor, config, settings, options), stopped]);
  } catch (error) {
    await supervisor.stop();
    throw error;
  }
  await stopped;
  forgetRunning(options.stateDir);
}

async function startAll(supervisor, config, settings, { judges, stateDir }) {
  const natsUrl = await provideNats(supervisor, config, settings, stateDir);
  const configured = config.configuredSettings(process.env);
  const usesPocket = usesPocketModel(settings);
  const engine = usesPocket ? await providePocketEngines(supervisor, { settings, configured, stateDir }) : {};
  const recordsDir = configured.has('records.dir') ? settings.records.dir : join(stateDir, 'records');
  const env = { ...process.env, OPENCLAW_RL_NATS_URL: natsUrl, OPENCLAW_RL_RECORDS_DIR: recordsDir, ...engine };
  const { port } = settings.metrics;
  // From metrics.port on: the session tracker, the judges, the hint teacher, the trainer. The others have /metrics on their own ports.
  const withMetrics = (index) => ({ ...env, OPENCLAW_RL_METRICS_PORT: String(port === 0 ? 0 : port + index) });
  const running = judgeCount(settings, judges);
  const judgeSpecs = Array.from({ length: running }, (_, index) => {
    const name = judges === 1 ? 'prm-judge' : `prm-judge-${index + 1}`;
    return appSpec('prm-judge', { name, env: withMetrics(index + 1) });
  });
  const [gateway, door] = await supervisor.start([
    appSpec('gateway', { env }),
    appSpec('sample-submitter', { env: usesPocket ? { ...env, ...pocketTokenizerEnv(settings) } : env }),
    appSpec('session-tracker', { env: withMetrics(0) }),
    ...judgeSpecs,
    ...(teacherCount(settings) === 0 ? [] : [appSpec('opd-teacher', { env: withMetrics(running + 1) })]),
  ]);
  if (gateway === undefined) return;
  const gatewayUrl = urlOf(gateway.details, settings.gateway);
  const doorUrl = urlOf(door.details, settings.door);
  const ownNats = configured.has('nats.url') ? {} : { OPENCLAW_RL_NATS_URL: natsUrl };
  noteRunning(stateDir, {
    gateway: gatewayUrl,
    door: doorUrl,
    settings: { ...ownNats, ...engine },
    environment: config.plainVariables(process.env),
    configured: config.configuredValues(settings, process.env),
  });
  const isTrained = isTrainerWanted(settings, configured);
  if (isTrained) {
    const trainer = pocketTrainerEnv(settings, { configured, stateDir, doorUrl });
    const last = withMetrics(1 + running + teacherCount(settings));
    await supervisor.start([appSpec('trainer', { env: { ...last, ...trainer } })]);
  }
  const [isPolicyUp, isJudgeUp] = await Promise.all([
    isPolicyReachable(gatewayUrl),
    settings.server.judgeBaseUrl === null || isReachable(settings.server.judgeBaseUrl),
  ]);
  const { STREAMS: streams } = loadContractsLibrary();
  console.log(
    summary({ settings, streams, usesPocket, isTrained, gatewayUrl, doorUrl, recordsDir, isPolicyUp, isJudgeUp }),
  );
}

async function provideNats(supervisor, config, settings, stateDir) {
  if (config.configuredSettings(process.env).has('nats.url')) {
    await requireNats(settings.nats.url);
    return settings.nats.url;
  }
  const found = await findNatsServer();
  const port = await freePort();
  await requireUnusedStore(stateDir, port);
  await supervisor.start([natsSpec(found, { port, stateDir, storeGb: settings.nats.storeGb })]);
  supervisor.say('nats', `ready on nats://127.0.0.1:${port}, store ${stateDir}/nats`);
  return `nats://127.0.0.1:${port}`;
}

async function requireNats(urls) {
  const servers = urls.split(',').map((url) => new URL(url));
  const found = await Promise.all(servers.map(({ hostname, port }) => answers(hostname, Number(port || 4222))));
  if (found.includes(true)) return;
  const names = servers.map((url) => url.host).join(', ');
  throw new Problem(`No NATS server answers at ${names} (nats.url, NATS_URL). Start it, or unset NATS_URL to get one.`);
}

/** The URL that a service said it listens on, as a client on this machine writes it. */
function urlOf(details, { host, port }) {
  return reachedAt(details === '' ? `http://${host}:${port}` : details);
}

/** Resolves when a first signal has stopped everything; a second one kills. */
function stopOnSignal(supervisor) {
  return new Promise((resolveStopped, reject) => {
    let firstAt = null;
    const onSignal = () => {
      if (firstAt === null) {
        firstAt = Date.now();
        console.log('\nStopping (again: kill) ...');
        supervisor.stop().then(resolveStopped, reject);
      } else if (Date.now() - firstAt > SAME_KEYPRESS_MS) {
        supervisor.kill();
        process.exit(130);
      }
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  });
}
