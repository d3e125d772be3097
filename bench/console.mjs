// npm run bench:console [-- --seconds N --rounds N --only tokens|consoles]: how fast the token view of 8,000 tokens opens, and what
// 20 open consoles cost the gateway.
import { parseArgs } from 'node:util';
import { findChromium } from '../scripts/lib/chromium.mjs';
import { runJson, stopAll } from './processes.mjs';
import { pause, startGateway, startNats, startService, startStub } from './stack.mjs';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '6' },
    rounds: { type: 'string', default: '5' },
    only: { type: 'string', default: '' },
  },
});
const [seconds, rounds] = [Number(values.seconds), Number(values.rounds)];
if (!['', 'tokens', 'consoles'].includes(values.only))
  throw new Error(`--only ${values.only} is not tokens or consoles`);

const TOKENS = 8000;
const CONSOLES = 20;
const MOST_MS = 300;
const MOST_RATIO = 1.05;

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const round = (value) => Number(value.toFixed(2));

/** A turn as sample-submitter tells it, with an answer of so many tokens. */
function turnOf(count) {
  const list = (make) => Array.from({ length: count }, (_, i) => make(i));
  const logProbs = list((i) => -((i * 7919) % 100) / 60);
  const teacherLogProbs = list((i) => -((i * 104_729) % 100) / 60);
  const row = {
    turnId: 'bench',
    session: 's',
    kind: 'main',
    arrivedAt: 1,
    completedAt: 2,
    policyVersion: 1,
    route: 'sglext',
    tokens: count,
    followed: true,
    votes: [1, 1, 1],
    score: 1,
    judgedAt: 3,
    hint: 'accepted',
    feedback: null,
    fate: 'sample',
    detail: null,
    signal: 'both',
    settledScore: 1,
    settledAt: 4,
  };
  return {
    row,
    text: 'shown',
    sessionId: null,
    model: 'm',
    finishReason: 'stop',
    sampling: { temperature: 1, topP: null, topK: null },
    weightVersions: [],
    messages: [{ role: 'user', content: 'Tell me everything.' }],
    leftOut: 0,
    response: { role: 'assistant', content: '' },
    nextState: null,
    judge: null,
    hint: null,
    feedback: [],
    sample: { reward: 1, rewardWeight: 1, teacherWeight: 1 },
    tokens: {
      ids: list((i) => i),
      texts: list((i) => (i % 17 === 0 ? '.\n' : ` word${i % 97}`)),
      logProbs,
      teacherLogProbs,
      advantages: list((i) => 1 + teacherLogProbs[i] - logProbs[i]),
      mask: list(() => 1),
      versions: list(() => 1),
    },
  };
}

/** Milliseconds from the click on a turn to its tokens on the screen, its data included. */
async function opensIn(gatewayUrl, executablePath) {
  const { chromium } = await import('playwright-core');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    const body = JSON.stringify({ turn: turnOf(TOKENS) });
    await page.route('**/console/api/turns/bench', (route) => route.fulfill({ contentType: 'application/json', body }));
    await page.goto(`${gatewayUrl}/console/`);
    await page.getByRole('navigation').waitFor();
    const open = () =>
      page.evaluate(async (count) => {
        const { document, location, performance, requestAnimationFrame } = globalThis;
        location.hash = '#/feedback';
        const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
        await frame();
        await frame();
        const start = performance.now();
        location.hash = '#/turns/bench';
        while (document.querySelectorAll('.token-text span').length < count) await frame();
        await frame();
        return performance.now() - start;
      }, TOKENS);
    await open();
    const times = [];
    for (let i = 0; i < rounds; i += 1) times.push(await open());
    return times;
  } finally {
    await browser.close();
  }
}

/** Opens consoles, which read what they are told; returns what closes them. */
async function openConsoles(url) {
  const closing = new AbortController();
  let bytes = 0;
  let rows = 0;
  const consoles = Array.from({ length: CONSOLES }, async () => {
    const response = await fetch(`${url}/console/api/live`, { signal: closing.signal });
    if (!response.ok) throw new Error(`a console was answered with ${response.status}`);
    for await (const piece of response.body) {
      bytes += piece.length;
      rows += Buffer.from(piece).toString('latin1').split('"turnId"').length - 1;
    }
  });
  for (const each of consoles) each.catch(() => undefined);
  await fetch(`${url}/console/api/turns`);
  while (bytes === 0) await pause(50);
  return async () => {
    closing.abort();
    await Promise.allSettled(consoles);
    if (rows === 0) throw new Error('open consoles were told of no turn');
    return { bytes, rows };
  };
}

/** CPU of the gateway for a request, in milliseconds, with and without open consoles, in turn. */
async function consolesCost(parts, gateway) {
  const load = { name: 'console', stream: false, bodyKb: 1, clients: 16, mainTurns: 2, url: gateway.value };
  await runJson('load.mjs', { ...load, seconds: 3, seed: 1 });
  const measure = async (seed) => {
    const before = gateway.usage();
    const { requests, failed } = await runJson('load.mjs', { ...load, seconds, seed });
    if (failed > 0) throw new Error(`${failed} requests failed`);
    return ((gateway.usage().cpuSeconds - before.cpuSeconds) * 1000) / requests;
  };
  const pairs = [];
  for (let i = 0; i < rounds; i += 1) {
    const alone = await measure(2 * i + 2);
    const close = await openConsoles(gateway.value);
    const watched = await measure(2 * i + 3);
    const { bytes, rows } = await close();
    pairs.push({ alone, watched, kib: bytes / 1024 / CONSOLES, rows: rows / CONSOLES });
  }
  return pairs;
}

try {
  const stub = await startStub({});
  const parts = { stub, nats: await startNats() };
  const gateway = await startGateway(parts);
  const services = ['session-tracker', 'sample-submitter', 'prm-judge'];
  await Promise.all(services.map((app) => startService(app, parts)));
  const slow = [];
  if (values.only !== 'consoles') {
    const { chromium, missing } = await findChromium();
    if (missing === undefined) {
      const times = await opensIn(gateway.value, chromium);
      console.log(
        `${TOKENS} tokens are on the screen after ${times.map(Math.round).join(', ')} ms; median ${Math.round(median(times))} ms`,
      );
      if (median(times) > MOST_MS) slow.push(`the token view takes longer than ${MOST_MS} ms`);
    } else console.log(`Skipped: ${missing}. The token view is not measured.`);
  }
  if (values.only !== 'tokens') {
    const pairs = await consolesCost(parts, gateway);
    for (const { alone, watched, kib, rows } of pairs) {
      console.log(
        `gateway: ${round(alone)} ms of CPU a request, ${round(watched)} ms with ${CONSOLES} consoles, who were told of ${Math.round(rows)} turns in ${Math.round(kib)} KiB each`,
      );
    }
    const ratio = median(pairs.map(({ alone, watched }) => watched / alone));
    console.log(`median ratio ${ratio.toFixed(3)}`);
    if (ratio > MOST_RATIO) slow.push(`${CONSOLES} consoles cost the gateway more than ${MOST_RATIO} of the CPU`);
  }
  if (slow.length > 0) throw new Error(slow.join('; '));
} finally {
  await stopAll();
}
