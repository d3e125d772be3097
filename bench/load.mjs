// Load generator: clients that hold conversations. One JSON argument in, one JSON line out. It is lean, since it shares the
// machine with what it measures: answers are taken as they come from the connection, and what comes again is printed once.
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { usageOf } from './processes.mjs';

const options = JSON.parse(process.argv[2]);
// `requests`: ends after so many in place of `seconds`. `named`: each conversation is a session with a header of its own.
// `warm`: so many requests come before the first that counts; `pid`: a process whose CPU is counted from there on.
// `rate`: at most so many requests a second; without it each client asks as fast as it can.
const {
  url,
  clients,
  seconds,
  requests: wanted = Infinity,
  named = false,
  stream,
  bodyKb,
  seed,
  mainTurns = 6,
  warm = 0,
  pid,
  rate = Infinity,
} = options;

const SYSTEM = 'You are a careful assistant. '.repeat(Math.ceil((bodyKb * 1024) / 29)).slice(0, bodyKb * 1024);
const TOOLS = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } }];

const messageOf = (role, content) => JSON.stringify({ role, content });
const BODY = JSON.stringify({ model: 'openclaw-rl', stream, tools: TOOLS }).slice(0, -1);
const SYSTEM_MESSAGE = messageOf('system', SYSTEM);
const HEADERS = { 'content-type': 'application/json', 'user-agent': 'bench' };

const pool = new Pool(url, { connections: clients, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
let latencies = [];
let firstBytes = [];
let failed = 0;
let begun = 0;
let served = 0;
let running = true;
let clock = null;

const cpuMs = () => (pid === undefined ? 0 : usageOf(pid).cpuSeconds * 1000);

const startClock = () => {
  clock = { startedAt: performance.now(), cpuMs: cpuMs() };
  [latencies, firstBytes] = [[], []];
  if (seconds !== undefined) setTimeout(() => (running = false), seconds * 1000);
};

const post = (headers, body) =>
  new Promise((resolve, reject) => {
    const answer = { status: 0, firstAt: 0, pieces: [] };
    pool.dispatch(
      { method: 'POST', path: '/v1/chat/completions', headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_, status) => (answer.status = status),
        onResponseData: (_, piece) => {
          if (answer.firstAt === 0) answer.firstAt = performance.now();
          answer.pieces.push(piece);
        },
        onResponseEnd: () => resolve(answer),
        onResponseError: (_, error) => reject(error),
      },
    );
  });

const contentOf = (text) => {
  if (!stream) return JSON.parse(text).choices[0].message.content;
  let content = '';
  for (const event of text.split('\n\n')) {
    const match = /"content":"((?:[^"\\]|\\.)*)"/.exec(event);
    if (match) content += JSON.parse(`"${match[1]}"`);
  }
  return content;
};

let dueAt = performance.now();

/** Waits until the next request is due. */
const whenDue = async () => {
  dueAt += 1000 / rate;
  const early = dueAt - performance.now();
  if (early >= 1) await pause(early);
};

const call = async (messages, session) => {
  await whenDue();
  begun += 1;
  if (begun >= warm + wanted) running = false;
  const start = performance.now();
  const headers = named ? { ...HEADERS, 'x-session-id': session } : HEADERS;
  const { status, firstAt, pieces } = await post(headers, `${BODY},"messages":[${messages.join(',')}]}`);
  latencies.push(performance.now() - start);
  firstBytes.push(firstAt - start);
  served += 1;
  if (served === warm) startClock();
  if (status === 200) return pieces;
  failed += 1;
  return null;
};

// The answer is the same each time; its text is read out of the first one only, so that the load generator stays cheap.
let answerMessage = null;

const converse = async (client) => {
  for (let conversation = 0; running; conversation += 1) {
    const messages = [SYSTEM_MESSAGE];
    for (let turn = 0; turn < mainTurns && running; turn += 1) {
      messages.push(messageOf('user', `client ${seed}.${client}, conversation ${conversation}, turn ${turn}: go on`));
      const pieces = await call(messages, `${seed}.${client}.${conversation}`);
      if (pieces === null) break;
      answerMessage ??= messageOf('assistant', contentOf(Buffer.concat(pieces).toString()));
      messages.push(answerMessage);
    }
  }
};

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const summary = (values) => {
  const sorted = values.sort((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) };
};

if (warm === 0) startClock();
await Promise.all(Array.from({ length: clients }, (_, client) => converse(client)));
const elapsed = (performance.now() - clock.startedAt) / 1000;
const usedMs = cpuMs() - clock.cpuMs;
await pool.close();
const requests = latencies.length;
console.log(
  JSON.stringify({
    served,
    requests,
    failed,
    perSecond: requests / elapsed,
    cpuMs: usedMs / requests,
    latencyMs: summary(latencies),
    firstByteMs: summary(firstBytes),
  }),
);
