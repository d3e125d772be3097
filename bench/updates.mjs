// npm run bench:updates [-- --seconds N --every N --clients N --load-ms N]: streams that live through weight updates.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root, stopAll } from './processes.mjs';
import { pause, startGateway, startNats, startService } from './stack.mjs';

const { startEngineDouble } = createRequire(import.meta.url)(join(root, 'dist/libs/testing/src/index.js'));

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    every: { type: 'string', default: '5' },
    clients: { type: 'string', default: '16' },
    'load-ms': { type: 'string', default: '300' },
  },
});
const [seconds, every, clients, loadMs] = ['seconds', 'every', 'clients', 'load-ms'].map((name) =>
  Number(values[name]),
);

/** Between two tokens of the double: some seconds for an answer. */
const TOKEN_MS = 20;
const ANSWER = { content: 'word '.repeat(80), delayMs: TOKEN_MS };
/** What the waiting of a stream may be beyond its update, and what an update may take beyond the engine. */
const MOST_SILENCE_MS = 1000;
const MOST_BEYOND_MS = 100;

const round = (value) => Number(value.toFixed(1));
const quantile = (sorted, q) => sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? 0;
const show = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  return `p50 ${round(quantile(sorted, 0.5))} ms, p95 ${round(quantile(sorted, 0.95))} ms, most ${round(sorted.at(-1) ?? 0)} ms`;
};

/** One client after another answer until `until`; notes when pieces came, and what went wrong. */
async function stream(url, until, seen) {
  while (performance.now() < until) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ stream: true, messages: [{ role: 'user', content: 'go on' }] }),
    });
    if (response.status !== 200) seen.errors.push(`status ${response.status}`);
    const bytes = [];
    let last = performance.now();
    for await (const piece of response.body) {
      const now = performance.now();
      seen.pieces.push(now);
      seen.silences.push({ from: last, to: now });
      last = now;
      bytes.push(piece);
    }
    const text = Buffer.concat(bytes).toString();
    if (!text.includes('[DONE]') || text.includes('"error"')) seen.errors.push('a broken stream');
    seen.answers += 1;
  }
}

async function post(url, path, body) {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
  return response.json();
}

/** One update, and when what of it was. The gate closes at the door, a moment after the door was asked to close it. */
async function update(door, count) {
  const { token } = await post(door, '/v1/policy/updates', { request_id: `u${count}`, trainer: 'bench' });
  const committing = performance.now();
  const path = `/v1/policy/updates/${token}/commit`;
  const { started_at: startedAt } = await post(door, path, { weights_path: `/weights/${count}` });
  return { began: startedAt - performance.timeOrigin, committing, ended: performance.now() };
}

const engine = await startEngineDouble({ loadMs });
try {
  engine.script(() => ANSWER);
  const parts = { stub: { value: engine.url }, nats: await startNats() };
  const [gateway, door] = await Promise.all([startGateway(parts), startService('sample-submitter', parts)]);
  const seen = { pieces: [], silences: [], errors: [], answers: 0 };
  const until = performance.now() + seconds * 1000;
  const streams = Array.from({ length: clients }, () => stream(gateway.value, until, seen));
  const updates = [];
  for (let count = 1; performance.now() + every * 1000 < until; count += 1) {
    await pause(every * 1000);
    updates.push(await update(door.value, count));
  }
  await Promise.all(streams);

  const longest = updates.map(({ began, ended }) => {
    const during = seen.silences.filter(({ from, to }) => to > began && from < ended);
    return { silence: during.reduce((most, { from, to }) => Math.max(most, to - from), 0), took: ended - began };
  });
  const closed = updates.map(({ began, ended }) => ended - began);
  const firstPieces = updates.map(({ committing }) => {
    const loaded = committing + loadMs;
    return seen.pieces.find((at) => at > loaded) - loaded - TOKEN_MS;
  });
  const beyond = closed.map((millis) => millis - loadMs);
  console.log(
    `${updates.length} updates of ${loadMs} ms in the engine, ${clients} streaming clients, ${seen.answers} answers`,
  );
  console.log(`errors and broken streams: ${seen.errors.length}`);
  console.log(`door closed beyond the engine's own time: ${show(beyond)}`);
  console.log(`from the loaded weights to the first piece of them, beyond a token's own time: ${show(firstPieces)}`);
  console.log(`longest silence of a stream: ${show(longest.map(({ silence }) => silence))}`);
  const tooLong = longest.filter(({ silence, took }) => silence > took + MOST_SILENCE_MS).length;
  if (seen.errors.length > 0 || tooLong > 0)
    throw new Error(`${seen.errors.length} errors, ${tooLong} silences too long`);
  const median = quantile(
    firstPieces.toSorted((a, b) => a - b),
    0.5,
  );
  if (median > MOST_BEYOND_MS)
    throw new Error(`new weights are heard ${round(median)} ms after the engine could have been`);
} finally {
  await stopAll();
  await engine.close();
}
