// npm run bench [-- --seconds N --only NAME]: the gateway against its upstream, and the whole loop, as ratios in one run.
import { cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { runJson, stopAll } from './processes.mjs';
import { bus, startGateway, startNats, startService, startStub } from './stack.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '8' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});
const seconds = Number(values.seconds);

const SCENARIOS = [
  { name: 'small', stream: false, bodyKb: 1, clients: 32 },
  { name: 'small, one connection', stream: false, bodyKb: 1, clients: 1 },
  { name: 'small, streamed', stream: true, bodyKb: 1, clients: 32 },
  { name: '60 KB', stream: false, bodyKb: 58, clients: 32 },
  { name: '60 KB, streamed', stream: true, bodyKb: 58, clients: 32 },
];

const wanted = (name) => values.only === '' || name.includes(values.only);

/** The same load first straight to the upstream, then through the gateway. */
async function compare(scenario, seed) {
  const stub = await startStub({});
  const nats = await startNats();
  const gateway = await startGateway({ stub, nats });
  const load = { ...scenario, seconds, seed };
  const direct = await runJson('load.mjs', { ...load, url: stub.value });
  await runJson('load.mjs', { ...load, seconds: 2, seed: seed + 1, url: gateway.value });
  const before = { ...gateway.usage(), stored: await bus.stored(nats) };
  const through = await runJson('load.mjs', { ...load, seed: seed + 2, url: gateway.value });
  const after = gateway.usage();
  const stored = (await bus.settle(nats, before.stored + 2 * through.requests)) - before.stored;
  await stopAll();
  if (through.failed + direct.failed > 0) throw new Error(`${scenario.name}: ${through.failed} requests failed`);
  if (stored < 2 * through.requests) {
    throw new Error(`${scenario.name}: ${stored} messages were stored of ${2 * through.requests} owed`);
  }
  return {
    name: scenario.name,
    direct,
    through,
    cpuMsPerRequest: ((after.cpuSeconds - before.cpuSeconds) * 1000) / through.requests,
    memoryMib: after.memoryMib,
    stored,
  };
}

/** All services: turns judged per second with three votes. */
async function judged({ judges, judgeDelayMs, clients }) {
  const stub = await startStub({ judgeDelayMs });
  const nats = await startNats();
  const gateway = await startGateway({ stub, nats });
  const services = ['session-tracker', 'sample-submitter', ...Array.from({ length: judges }, () => 'prm-judge')];
  await Promise.all(services.map((app) => startService(app, { stub, nats })));
  const start = performance.now();
  const load = { name: 'judged', stream: false, bodyKb: 1, clients, seconds, seed: 7 };
  const { requests } = await runJson('load.mjs', { ...load, url: gateway.value });
  const followed = await bus.steady(nats, 'RL_FOLLOWS');
  await bus.settle(nats, followed, 'RL_VERDICTS');
  const elapsed = (performance.now() - start) / 1000;
  await stopAll();
  return { requests, judged: followed, perSecond: followed / elapsed };
}

const round = (value, digits = 1) => Number(value.toFixed(digits));

function table(rows) {
  const head = ['', 'direct req/s', 'gateway req/s', 'ratio', 'p50 ms', 'p95 ms', 'p99 ms', 'first byte p50 ms', 'added p50 ms', 'CPU ms/request'];
  const lines = rows.map(({ name, direct, through, cpuMsPerRequest }) => [
    name,
    round(direct.perSecond, 0),
    round(through.perSecond, 0),
    round(through.perSecond / direct.perSecond, 2),
    round(through.latencyMs.p50),
    round(through.latencyMs.p95),
    round(through.latencyMs.p99),
    round(through.firstByteMs.p50),
    round(through.latencyMs.p50 - direct.latencyMs.p50, 2),
    round(cpuMsPerRequest, 3),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

try {
  const [{ model }] = cpus();
  console.log(`${cpus().length} cores, ${model}, ${round(totalmem() / 2 ** 30, 0)} GiB, Node ${process.version}, ${seconds} s each`);
  const rows = [];
  for (const [i, scenario] of SCENARIOS.entries()) if (wanted(scenario.name)) rows.push(await compare(scenario, 100 * i));
  if (rows.length > 0) console.log(`\n${table(rows)}`);
  const loops = [];
  if (wanted('judged')) loops.push({ name: 'judged turns/s, 3 votes', ...(await judged({ judges: 2, judgeDelayMs: 0, clients: 32 })) });
  for (const judges of [1, 2, 4]) {
    if (wanted('scale')) loops.push({ name: `judge of 50 ms, ${judges} replicas`, ...(await judged({ judges, judgeDelayMs: 50, clients: 32 })) });
  }
  for (const { name, requests, judged: count, perSecond } of loops) {
    console.log(`${name}: ${round(perSecond, 0)} judged turns/s (${count} of ${requests} turns)`);
  }
  if (values.json) console.log(JSON.stringify({ rows, loops }));
} finally {
  await stopAll();
}
