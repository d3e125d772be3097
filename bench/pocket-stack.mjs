// npm run bench:pocket-stack: the whole stack with the pocket model, as npm start runs it: tokens a second through the gateway, seconds of
// an update, and the memory of all its processes together.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { LEARNING_SETTINGS, learn } from '../scripts/demo/learning.mjs';
import { FREE } from '../scripts/demo/paces.mjs';
import { MAX_TOKENS, TEMPERATURE } from '../scripts/demo/sampling.mjs';
import { loadExperimentLibrary } from '../scripts/lib/project.mjs';
import { startQuietStack, withQuietSupervisor } from '../scripts/lib/quiet-stack.mjs';

const STREAMS = 16;
const SECONDS = 10;
const UPDATES = 4;
const KIB_PER_MIB = 1024;
/** The model ends an answer to this late: it is none of its tasks. */
const LONG = 'Say all numbers that you know.';

await withQuietSupervisor('bench', async ({ folder, supervisor, signal }) => {
  const recordsDir = join(folder, 'records');
  const stack = await startQuietStack(supervisor, { folder, recordsDir, settings: LEARNING_SETTINGS });
  const idle = memoryMib();
  await generate(stack.gatewayUrl, 2);
  const { tokens, seconds } = await generate(stack.gatewayUrl, SECONDS);
  console.log(`${STREAMS} streams through the gateway: ${(tokens / seconds).toFixed(0)} tokens/s`);
  let most = memoryMib();
  await learn({
    ...stack,
    ...{ updates: UPDATES, seed: 1, temperature: TEMPERATURE, pace: FREE, signal },
    ...{ exam: loadExperimentLibrary().drawExam(1, STREAMS), glance: STREAMS },
    onLook: () => (most = Math.max(most, memoryMib())),
    onScore: () => undefined,
  });
  const { updates } = await (await fetch(`${stack.doorUrl}/v1/policy`)).json();
  const closed = updates.map(({ started_at: from, ended_at: to }) => to - from);
  console.log(`doors closed for an update: ${closed.map((millis) => Math.round(millis)).join(', ')} ms`);
  console.log(`all processes (PSS): ${idle.toFixed(0)} MiB at the start, ${most.toFixed(0)} MiB at most`);
});

/** Tokens of answers that streams got one after the other. */
async function generate(gatewayUrl, seconds) {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1000;
  let tokens = 0;
  const stream = async (number) => {
    for (let seed = number; performance.now() < until; seed += STREAMS) {
      const response = await fetch(`${gatewayUrl}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-turn-type': 'side' },
        body: JSON.stringify({
          ...{ messages: [{ role: 'user', content: LONG }], max_tokens: MAX_TOKENS, temperature: TEMPERATURE, seed },
        }),
      });
      tokens += (await response.json()).usage.completion_tokens;
    }
  };
  await Promise.all(Array.from({ length: STREAMS }, (_, number) => stream(number)));
  return { tokens, seconds: (performance.now() - startedAt) / 1000 };
}

/** Proportional set size of everything that this process has started. */
function memoryMib() {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [Number(pid), parentOf(pid)]),
  );
  const isOurs = (pid) => pid === process.pid || (parents.has(pid) && isOurs(parents.get(pid)));
  const ours = [...parents.keys()].filter((pid) => pid !== process.pid && isOurs(pid));
  return ours.reduce((sum, pid) => sum + pssKib(pid), 0) / KIB_PER_MIB;
}

function parentOf(pid) {
  return Number(readOrEmpty(`/proc/${pid}/stat`).split(') ').at(-1).split(' ')[1] ?? 0);
}

function pssKib(pid) {
  return Number(/^Pss:\s+(\d+)/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1] ?? 0);
}

/** A process may just have ended. */
function readOrEmpty(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
