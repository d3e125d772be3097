import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Problem } from '../lib/problem.mjs';

const SETTLED_MS = 60_000;
const LOOK_EVERY_MS = 300;

/** Ends the sessions, so that their last turns are settled too. */
export async function endSessions({ gatewayUrl }, clients) {
  for (const { session } of clients) await post(`${gatewayUrl}/v1/sessions/${session}/end`, {});
}

/**
 * What came out, once every turn that the gateway served is settled and on record: `outcomes` as the trainer's door counts
 * them, the `samples` that it leases, and a record per turn, in the order in which they arrived. After a minute: what there is.
 */
export async function collectResults({ gatewayUrl, doorUrl, recordsDir }, { signal }) {
  const deadline = Date.now() + SETTLED_MS;
  for (;;) {
    const served = await countServed(gatewayUrl);
    const { outcomes } = await request(`${doorUrl}/v1/stats`);
    const records = readRecords(recordsDir);
    const settled = Object.values(outcomes).reduce((sum, count) => sum + count, 0);
    // A turn may wait for its judge long after the turns behind it are settled.
    const isDone = settled === served && records.length === settled;
    if (isDone || Date.now() > deadline) return { outcomes, records, samples: await leaseAll(doorUrl) };
    await wait(LOOK_EVERY_MS, undefined, { signal });
  }
}

/** Turns that the gateway has served, by its metrics. */
async function countServed(gatewayUrl) {
  const metrics = await (await fetch(`${gatewayUrl}/metrics`)).text();
  const counts = metrics.matchAll(/^openclaw_rl_turns_total\{.*\} (\d+)$/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

async function leaseAll(doorUrl) {
  const { samples } = await post(`${doorUrl}/v1/samples/lease`, { request_id: 'try-openclaw', max: 64 });
  return samples;
}

/** The JSONL records: a folder per policy version, a file per session; turns only. */
function readRecords(folder) {
  const files = readdirSync(folder, { recursive: true }).filter((path) => path.endsWith('.jsonl'));
  const lines = files.flatMap((path) => readFileSync(join(folder, path), 'utf8').split('\n'));
  const records = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  const turns = records.filter(({ kind }) => kind !== 'feedback');
  return turns.sort((a, b) => a.arrived_at - b.arrived_at);
}

function post(url, body) {
  return request(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

async function request(url, options) {
  const response = await fetch(url, options);
  const text = await response.text();
  if (!response.ok) throw new Problem(`${url} answered with status ${response.status}: ${text}`);
  return text === '' ? null : JSON.parse(text);
}
