// npm run simulate -- --check [--seed N]: gateway, tracker and two judges with an engine whose delays are known, turns that come as
// planned, more than can be judged for a while, and an outage; and what the simulation says of the very same turns. It knows when they
// were to come, the engine's delays, and, from turns that came one by one before, what our services add.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { levels, summarize } from './queues/compare.mjs';
import { inTurn, openConversations, storedAt } from './queues/conversations.mjs';
import { JUDGES, OUTAGE, phases, planTurns, PROBE_SECONDS, SECONDS, TURNS_AT_ONCE, VOTES } from './queues/plan.mjs';
import { root, stopAll } from './processes.mjs';
import { bus, pause, startGateway, startNats, startService, startStub } from './stack.mjs';

const load = (library) => createRequire(import.meta.url)(join(root, `dist/libs/${library}/src/index.js`));
const { exponential, nextArrival, plotColumns, replay } = load('scaling');
const { seededRandom } = load('pocket-lm');

const { values } = parseArgs({ options: { seed: { type: 'string', default: '1' }, json: { type: 'boolean' } } });
const seed = Number(values.seed);

/** Turns that make the processes warm, and then come one by one. */
const WARM = 600;
const SINGLE = 40;
const SINGLE_DELAY_MS = 100;
const MS = 1000;
/** Ratios of mean, p95 and most, over all and in each phase, have to lie within. */
const TOLERANCE = 0.15;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];

async function startAll() {
  const stub = await startStub({});
  const nats = await startNats();
  const parts = { stub, nats };
  const gateway = await startGateway(parts);
  const settings = {
    OPENCLAW_RL_JUDGE_CONCURRENCY: String(TURNS_AT_ONCE * VOTES),
    OPENCLAW_RL_JUDGE_BREAKER_OPEN_S: String(PROBE_SECONDS),
  };
  await startService('session-tracker', parts);
  await Promise.all(Array.from({ length: JUDGES }, () => startService('prm-judge', parts, settings)));
  return { stub, nats, gateway };
}

/** What our services add: from the request that follows a turn to the message that says so, and to a verdict beyond the engine's delay. */
async function calibrate({ nats, gateway }) {
  const names = (kind, count) => Array.from({ length: count }, (_, i) => `${kind}-${i}`);
  const warm = await openConversations(gateway.value, names('warm', WARM));
  await inTurn(warm, ({ go }) => go(1));
  await bus.reach(nats, WARM, 'RL_VERDICTS');
  const single = await openConversations(gateway.value, names('single', SINGLE));
  const sent = [];
  for (const [i, { go }] of single.entries()) {
    sent.push(performance.timeOrigin + performance.now());
    await go(SINGLE_DELAY_MS);
    await bus.reach(nats, WARM + i + 1, 'RL_VERDICTS');
  }
  const [follows, verdicts] = await Promise.all(['RL_FOLLOWS', 'RL_VERDICTS'].map((stream) => storedAt(nats, stream)));
  const ids = single.map(({ turnId }) => turnId);
  return {
    untilFollowedMs: median(ids.map((id, i) => follows.get(id) - sent[i])),
    ownMs: median(ids.map((id) => verdicts.get(id) - follows.get(id) - SINGLE_DELAY_MS)),
  };
}

/** Lets the planned turns come; when they did and when they were judged, in seconds. */
async function measure({ stub, nats, gateway }, plan) {
  const outage = (word) => fetch(`${stub.value}/outage`, { method: 'POST', body: word });
  const conversations = await openConversations(
    gateway.value,
    plan.map((_, i) => `planned-${i}`),
  );
  await bus.steady(nats, 'RL_TURNS');
  const start = performance.timeOrigin + performance.now() + MS;
  const at = async (seconds, act) => {
    await pause(start + seconds * MS - performance.timeOrigin - performance.now());
    return act();
  };
  await Promise.all([
    ...plan.map((turn, i) => at(turn.at, () => conversations[i].go(turn.delayMs))),
    at(OUTAGE.fromSeconds, () => outage('down')),
    at(OUTAGE.fromSeconds + OUTAGE.seconds, () => outage('up')),
  ]);
  await bus.reach(nats, WARM + SINGLE + plan.length, 'RL_VERDICTS');
  const [follows, verdicts] = await Promise.all(['RL_FOLLOWS', 'RL_VERDICTS'].map((stream) => storedAt(nats, stream)));
  return conversations.map(({ turnId }) => ({
    at: (follows.get(turnId) - start) / MS,
    end: (verdicts.get(turnId) - start) / MS,
  }));
}

function predict(plan, { untilFollowedMs, ownMs }) {
  const turns = plan.map(({ at, delayMs }) => ({ at: at + untilFollowedMs / MS, seconds: (delayMs + ownMs) / MS }));
  const ends = replay(turns, { servers: JUDGES * TURNS_AT_ONCE, outage: OUTAGE, probeSeconds: PROBE_SECONDS });
  return turns.map(({ at }, i) => ({ at, end: ends[i] }));
}

const round = (value) => Number(value.toFixed(2));

/** Rows of measured, simulated and their ratio, and those that lie too far apart. */
function compare(measured, simulated) {
  const rows = [...phases, { name: 'all', from: 0, until: SECONDS + 1 }].map((phase) => {
    const [real, model] = [measured, simulated].map((turns) => summarize(turns, phase));
    const cell = (name) => `${round(real[name])} / ${round(model[name])} = ${round(real[name] / model[name])}`;
    const isFar = ['mean', 'p95', 'most'].some((name) => Math.abs(real[name] / model[name] - 1) > TOLERANCE);
    return { phase: phase.name, turns: real.turns, mean: cell('mean'), p95: cell('p95'), most: cell('most'), isFar };
  });
  return { rows, far: rows.filter(({ isFar }) => isFar).map(({ phase }) => phase) };
}

try {
  const parts = await startAll();
  const added = await calibrate(parts);
  const plan = planTurns(seed, { nextArrival, exponential, seededRandom });
  const measured = await measure(parts, plan);
  const simulated = predict(plan, added);
  const { rows, far } = compare(measured, simulated);
  console.log(
    `seed ${seed}, ${plan.length} turns in ${SECONDS} s, ${JUDGES} judges with ${TURNS_AT_ONCE} turns each. Our services add ${round(added.untilFollowedMs)} ms until a turn is followed, and ${round(added.ownMs)} ms to a verdict.`,
  );
  console.log('Seconds from followed to judged, and most turns there at once: measured / simulated = ratio');
  console.table(
    Object.fromEntries(rows.map(({ phase, turns, mean, p95, most }) => [phase, { turns, mean, p95, most }])),
  );
  for (const [name, turns] of Object.entries({ measured, simulated })) {
    console.log(`turns there, ${name}, by the second`);
    console.log(plotColumns(levels(turns, SECONDS + 5), { height: 6 }));
  }
  if (values.json) console.log(JSON.stringify({ seed, added, measured, simulated }));
  if (far.length > 0)
    throw new Error(`measured and simulated differ by more than ${TOLERANCE * 100} % in: ${far.join('; ')}`);
} finally {
  await stopAll();
}
