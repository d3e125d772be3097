// npm run bench [-- --seconds N --only NAME --json]: the gateway against its upstream, the whole loop, and the mathematics of
// training. npm run bench -- --memory [--sessions N --turns N]: what gateway and tracker keep, in half an hour or more.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { benchGenerate } from './generate.mjs';
import { memory } from './memory.mjs';
import { runJson, stopAll, usageOf } from './processes.mjs';
import { sustained } from './sustained.mjs';
import { bus, startGateway, startNats, startPassthrough, startService, startStub } from './stack.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
    memory: { type: 'boolean', default: false },
    sessions: { type: 'string', default: '100000' },
    turns: { type: 'string', default: '1000000' },
  },
});
const seconds = Number(values.seconds);

// mainTurns: requests of one conversation; each after the first carries the answers before it.
const SCENARIOS = [
  { name: 'small', stream: false, bodyKb: 1, clients: 32, mainTurns: 2 },
  { name: 'small, one connection', stream: false, bodyKb: 1, clients: 1, mainTurns: 2 },
  { name: 'small, streamed', stream: true, bodyKb: 1, clients: 32, mainTurns: 2 },
  { name: '60 KB', stream: false, bodyKb: 58, clients: 32, mainTurns: 2 },
  { name: '60 KB, streamed', stream: true, bodyKb: 58, clients: 32, mainTurns: 2 },
];

// Requests, and turns of a backlog, that come before the clock starts: a service runs for days, and its first thousands of requests
// cost up to twice what all others do.
const WARM_REQUESTS = 8000;
const WARM_TURNS = 1000;

const NAMES = [...SCENARIOS.map(({ name }) => name), 'advantage', 'generate', 'judged', 'sustained', 'hinted', 'scale'];
const wanted = (name) => !values.memory && (values.only === '' || name.includes(values.only));
if (!values.memory && !NAMES.some(wanted)) {
  throw new Error(`--only ${values.only} is part of no name: ${NAMES.join('; ')}`);
}

/** One load on a server, which is warm before the clock starts, with what it cost. */
const measure = (server, load) =>
  runJson('load.mjs', { ...load, warm: WARM_REQUESTS, pid: server.pid, url: server.value });

/** The same load straight to the upstream, through a bare proxy, and through the gateway with capture on. */
async function compare(scenario, seed) {
  const stub = await startStub({});
  const nats = await startNats();
  const load = { ...scenario, seconds, seed };
  const direct = await measure(stub, load);
  const passthrough = await startPassthrough({ stub });
  const bare = await measure(passthrough, load);
  await passthrough.stop();
  const gateway = await startGateway({ stub, nats });
  const served = await measure(gateway, load);
  const stored = await bus.steady(nats, 'RL_TURNS');
  await stopAll();
  const failed = direct.failed + bare.failed + served.failed;
  if (failed > 0) throw new Error(`${scenario.name}: ${failed} requests failed`);
  if (stored < 2 * served.served) {
    throw new Error(`${scenario.name}: ${stored} messages were stored of at least ${2 * served.served} owed`);
  }
  return { name: scenario.name, direct, bare, served, stored };
}

const byName = (apps, started) => Object.fromEntries(apps.map((app, i) => [app, started[i]]));

/** Starts to measure what processes use; what comes back gives the milliseconds of CPU of each for one of `count` turns. */
function cpuOf(processes) {
  const seconds = () => Object.values(processes).map(({ pid }) => usageOf(pid).cpuSeconds);
  const before = seconds();
  return (count) => {
    const after = seconds();
    return Object.keys(processes).map((name, i) => [name, ((after[i] - before[i]) * 1000) / count]);
  };
}

/** All services under load: turns judged per second with three votes. */
async function judged() {
  const stub = await startStub({});
  const nats = await startNats();
  const gateway = await startGateway({ stub, nats });
  const services = ['session-tracker', 'sample-submitter', 'prm-judge'];
  const started = await Promise.all(services.map((app) => startService(app, { stub, nats })));
  const processes = { gateway, ...byName(services, started), engine: stub, NATS: nats };
  const load = { name: 'judged', stream: false, bodyKb: 1, clients: 32, seed: 7, url: gateway.value };
  await runJson('load.mjs', { ...load, requests: WARM_REQUESTS / 2, seed: 8 });
  await bus.settle(nats, await bus.steady(nats, 'RL_FOLLOWS'), 'RL_VERDICTS');
  const before = await bus.stored(nats, 'RL_VERDICTS');
  const [start, cpu] = [performance.now(), cpuOf(processes)];
  await runJson('load.mjs', { ...load, seconds });
  // What waits for its verdict when the load ends is not counted.
  const perSecond = ((await bus.stored(nats, 'RL_VERDICTS')) - before) / ((performance.now() - start) / 1000);
  const followed = await bus.steady(nats, 'RL_FOLLOWS');
  const verdicts = await bus.settle(nats, followed, 'RL_VERDICTS');
  const cpuMs = cpu(verdicts - before);
  await stopAll();
  if (verdicts < followed) throw new Error(`judged: ${verdicts} verdicts of ${followed} owed`);
  return { judged: verdicts - before, perSecond, cpuMs };
}

/** How fast `judges` replicas, four turns at once each, work off turns that wait for them, with a judge that takes 50 ms. */
async function workedOff(judges) {
  const stub = await startStub({ judgeDelayMs: 50 });
  const nats = await startNats();
  const gateway = await startGateway({ stub, nats });
  await Promise.all(['session-tracker', 'sample-submitter'].map((app) => startService(app, { stub, nats })));
  const load = { name: 'scale', stream: false, bodyKb: 1, clients: 32, seed: 9, requests: 800 * (judges + 1) };
  await runJson('load.mjs', { ...load, url: gateway.value });
  const followed = await bus.steady(nats, 'RL_FOLLOWS');
  const settings = { OPENCLAW_RL_JUDGE_CONCURRENCY: '12' };
  await Promise.all(Array.from({ length: judges }, () => startService('prm-judge', { stub, nats }, settings)));
  await bus.reach(nats, (WARM_TURNS / 4) * judges, 'RL_VERDICTS');
  const [before, start] = [await bus.stored(nats, 'RL_VERDICTS'), performance.now()];
  await bus.reach(nats, followed, 'RL_VERDICTS');
  const perSecond = (followed - before) / ((performance.now() - start) / 1000);
  await stopAll();
  return { judged: followed - before, perSecond };
}

/**
 * How fast a judge and a hint teacher work off turns that wait for them: three votes each, and the teacher's pass. The clock starts
 * behind the first turns: how fast a process becomes warm is not what is asked.
 */
async function hinted() {
  const [stub, prm] = [await startStub({}), await startStub({ scores: true })];
  const nats = await startNats();
  const settings = {
    OPENCLAW_RL_RL_ALGORITHM: 'hybrid',
    OPENCLAW_RL_SERVER_JUDGE_BASE_URL: prm.value,
    // The stub does not say how its log-probs are taken: at 1 it makes no difference.
    OPENCLAW_RL_SERVER_TEMPERATURE: '1',
    OPENCLAW_RL_JUDGE_CONCURRENCY: '48',
    OPENCLAW_RL_OPD_TEACHER_CONCURRENCY: '16',
  };
  const gateway = await startService('gateway', { stub, nats }, settings);
  await startService('session-tracker', { stub, nats }, settings);
  const load = { name: 'hinted', stream: false, bodyKb: 1, clients: 32, seed: 11, requests: 8000 };
  await runJson('load.mjs', { ...load, url: gateway.value });
  const followed = await bus.steady(nats, 'RL_FOLLOWS');
  const services = ['sample-submitter', 'prm-judge', 'opd-teacher'];
  const started = await Promise.all(services.map((app) => startService(app, { stub, nats }, settings)));
  const processes = { ...byName(services, started), engine: prm, NATS: nats };
  await bus.reach(nats, 2 * WARM_TURNS, 'RL_VERDICTS');
  const [before, start, cpu] = [await bus.stored(nats, 'RL_VERDICTS'), performance.now(), cpuOf(processes)];
  await bus.reach(nats, 2 * followed, 'RL_VERDICTS');
  // A turn is done with both halves.
  const done = (2 * followed - before) / 2;
  const perSecond = done / ((performance.now() - start) / 1000);
  const cpuMs = cpu(done);
  await stopAll();
  return { judged: done, perSecond, cpuMs };
}

const round = (value, digits = 1) => Number(value.toFixed(digits));

function table(rows) {
  const head = [
    '',
    'direct req/s',
    'bare proxy req/s',
    'gateway req/s',
    'p50 ms',
    'p95 ms',
    'p99 ms',
    'first byte p50 ms',
    'added p50 ms',
    'bare CPU ms',
    'gateway CPU ms',
  ];
  const lines = rows.map(({ name, direct, bare, served }) => [
    name,
    round(direct.perSecond, 0),
    round(bare.perSecond, 0),
    round(served.perSecond, 0),
    round(served.latencyMs.p50),
    round(served.latencyMs.p95),
    round(served.latencyMs.p99),
    round(served.firstByteMs.p50),
    round(served.latencyMs.p50 - direct.latencyMs.p50, 2),
    round(bare.cpuMs, 3),
    round(served.cpuMs, 3),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

try {
  const [{ model }] = cpus();
  console.log(
    `${cpus().length} cores, ${model}, ${round(totalmem() / 2 ** 30, 0)} GiB, Node ${process.version}, ${seconds} s each`,
  );
  const rows = [];
  for (const [i, scenario] of SCENARIOS.entries())
    if (wanted(scenario.name)) rows.push(await compare(scenario, 100 * i));
  if (rows.length > 0) console.log(`\n${table(rows)}`);
  if (wanted('advantage')) {
    const { lossMs, topKMs } = await runJson('advantage.mjs', {});
    console.log(`advantages and policy loss with gradient, 16 samples of 8,192 tokens: ${round(lossMs)} ms`);
    console.log(`top-K loss with gradient, 8,192 tokens, K = 50, 956 tokens in the vocabulary: ${round(topKMs)} ms`);
  }
  if (wanted('generate')) await benchGenerate();
  const loops = [];
  if (wanted('judged')) loops.push({ name: 'judged turns/s, 3 votes', ...(await judged()) });
  const held = wanted('sustained') ? await sustained({ seconds, warm: WARM_REQUESTS / 2 }) : [];
  if (wanted('hinted')) loops.push({ name: 'judged and hinted, 3 votes each and the teacher', ...(await hinted()) });
  for (const judges of [1, 2, 4]) {
    if (wanted('scale')) loops.push({ name: `judge of 50 ms, ${judges} replicas`, ...(await workedOff(judges)) });
  }
  for (const { name, judged: count, perSecond, cpuMs = [] } of loops) {
    console.log(`${name}: ${round(perSecond, 0)} judged turns/s (${count} turns)`);
    for (const [process, millis] of cpuMs) console.log(`  CPU of a turn in ${process}: ${round(millis, 2)} ms`);
  }
  for (const { rate, perSecond, behindS } of held) {
    console.log(
      `kept up with ${rate} requests/s: ${round(perSecond, 0)} judged turns/s, ${round(behindS * 1000, 0)} ms behind in the end`,
    );
  }
  if (values.memory) await memory({ sessions: Number(values.sessions), turns: Number(values.turns) });
  if (values.json) console.log(JSON.stringify({ rows, loops, held }));
} finally {
  await stopAll();
}
