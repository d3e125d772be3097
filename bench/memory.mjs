// Memory of gateway and tracker over sessions that nobody ever ends.
import { runJson, stopAll } from './processes.mjs';
import { bus, pause, startGateway, startNats, startService, startStub } from './stack.mjs';

const STEPS = 10;
const SAMPLE_EVERY_MS = 500;
/** So long a session may be quiet, in minutes: short, so that they end within the bench. */
const IDLE_MINUTES = 1;
const TURNS_PER_SESSION = 10;
/** Requests a second: fewer than these services can take beside a load generator, so that nothing waits. */
const RATE = 500;
const CAPTURE_BUFFER_MB = 64;
/** Growth from the first step to the end, in MiB, that is called flat. */
const FLAT_MIB = 32;

const MIB = 1024 * 1024;

const metric = async (service, name) => {
  const text = await (await fetch(`${service.value}/metrics`)).text();
  const lines = text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
};

/** The least heap that was in use while something went on, in MiB: what is left behind a garbage collection. */
const leastHeap = async (services, work) => {
  const least = services.map(() => Infinity);
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      for (const [i, service] of services.entries()) {
        least[i] = Math.min(least[i], await metric(service, 'nodejs_heap_size_used_bytes'));
      }
      await pause(SAMPLE_EVERY_MS);
    }
  })();
  await work();
  isOver = true;
  await sampling;
  return least.map((bytes) => bytes / MIB);
};

/** `sessions` of one turn each, then sessions of ten turns until there are `turns`, then nothing until all have ended. */
export async function memory({ sessions, turns }) {
  const stub = await startStub({});
  const nats = await startNats();
  const gateway = await startGateway(
    { stub, nats },
    { OPENCLAW_RL_GATEWAY_CAPTURE_BUFFER_MB: String(CAPTURE_BUFFER_MB) },
  );
  const tracker = await startService(
    'session-tracker',
    { stub, nats },
    { OPENCLAW_RL_SESSION_IDLE_MINUTES: String(IDLE_MINUTES) },
  );
  const services = [gateway, tracker];
  const rows = [];
  const note = (what, heap) => {
    const [gatewayRss, trackerRss] = services.map((service) => service.usage().memoryMib);
    rows.push({ what, gatewayHeap: heap[0], gatewayRss, trackerHeap: heap[1], trackerRss });
    console.log(`${what}: heap ${heap.map((mib) => mib.toFixed(0)).join(' / ')} MiB (gateway / tracker)`);
  };
  let [done, opened] = [0, 0];
  const load = async (requests, mainTurns) => {
    const options = { name: 'memory', named: true, stream: false, bodyKb: 1, clients: 32, rate: RATE, seed: done };
    const { requests: served, failed } = await runJson('load.mjs', {
      ...options,
      url: gateway.value,
      requests,
      mainTurns,
    });
    if (failed > 0) throw new Error(`memory: ${failed} requests failed`);
    done += served;
    opened += Math.ceil(served / mainTurns);
  };
  for (let step = 0; step < STEPS; step += 1) {
    const heap = await leastHeap(services, () => load(sessions / STEPS, 1));
    note(`${done} turns in ${opened} sessions`, heap);
  }
  for (let step = 0; step < STEPS && done < turns; step += 1) {
    const heap = await leastHeap(services, () => load(Math.ceil((turns - sessions) / STEPS), TURNS_PER_SESSION));
    note(`${done} turns in ${opened} sessions`, heap);
  }
  await bus.steady(nats, 'RL_TURNS');
  const isEnded = async () => (await metric(tracker, 'openclaw_rl_sessions_ended_total')) >= opened;
  while (!(await isEnded())) await pause(2000);
  const heap = await leastHeap(services, () => pause(20_000));
  note(`all ${opened} sessions ended`, heap);
  const stored = await bus.stored(nats, 'RL_TURNS');
  await stopAll();
  if (stored < 2 * done) throw new Error(`memory: ${stored} messages were stored of ${2 * done} owed`);
  const [first, last] = [rows[0], rows.at(-1)];
  const grown = Math.max(last.gatewayHeap - first.gatewayHeap, last.trackerHeap - first.trackerHeap);
  if (grown > FLAT_MIB) throw new Error(`memory: ${grown.toFixed(0)} MiB more are in use than at the beginning`);
  return rows;
}
