// Load generator: clients that hold conversations. One JSON argument in, one JSON line out.
import { Pool } from 'undici';

const options = JSON.parse(process.argv[2]);
// `requests`: ends after so many in place of `seconds`. `named`: each conversation is a session with a header of its own.
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
} = options;

const SYSTEM = 'You are a careful assistant. '.repeat(Math.ceil((bodyKb * 1024) / 29)).slice(0, bodyKb * 1024);
const TOOLS = [{ type: 'function', function: { name: 'read', parameters: { type: 'object', properties: {} } } }];

const pool = new Pool(url, { connections: clients, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });
const latencies = [];
const firstBytes = [];
let failed = 0;
let begun = 0;
let running = true;

const contentOf = (text) => {
  if (!stream) return JSON.parse(text).choices[0].message.content;
  let content = '';
  for (const event of text.split('\n\n')) {
    const match = /"content":"((?:[^"\\]|\\.)*)"/.exec(event);
    if (match) content += JSON.parse(`"${match[1]}"`);
  }
  return content;
};

const call = async (messages, session) => {
  begun += 1;
  if (begun >= wanted) running = false;
  const start = performance.now();
  const body = JSON.stringify({ model: 'openclaw-rl', messages, stream, tools: TOOLS });
  const response = await pool.request({
    method: 'POST',
    path: '/v1/chat/completions',
    headers: {
      'content-type': 'application/json',
      'user-agent': 'bench',
      ...(named ? { 'x-session-id': session } : {}),
    },
    body,
  });
  let first = 0;
  const pieces = [];
  for await (const piece of response.body) {
    if (first === 0) first = performance.now() - start;
    pieces.push(piece);
  }
  latencies.push(performance.now() - start);
  firstBytes.push(first);
  if (response.statusCode !== 200) {
    failed += 1;
    return null;
  }
  return Buffer.concat(pieces).toString();
};

// The answer is the same each time; its text is read out of the first one only, so that the load generator stays cheap.
let answerText = null;

const converse = async (client) => {
  for (let conversation = 0; running; conversation += 1) {
    const messages = [{ role: 'system', content: SYSTEM }];
    for (let turn = 0; turn < mainTurns && running; turn += 1) {
      messages.push({
        role: 'user',
        content: `client ${seed}.${client}, conversation ${conversation}, turn ${turn}: go on`,
      });
      const text = await call(messages, `${seed}.${client}.${conversation}`);
      if (text === null) break;
      answerText ??= contentOf(text);
      messages.push({ role: 'assistant', content: answerText });
    }
  }
};

const percentile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
const summary = (values) => {
  const sorted = values.sort((a, b) => a - b);
  return { p50: percentile(sorted, 0.5), p95: percentile(sorted, 0.95), p99: percentile(sorted, 0.99) };
};

const start = performance.now();
const stop = seconds === undefined ? undefined : setTimeout(() => (running = false), seconds * 1000);
await Promise.all(Array.from({ length: clients }, (_, client) => converse(client)));
clearTimeout(stop);
const elapsed = (performance.now() - start) / 1000;
await pool.close();
const requests = latencies.length;
console.log(
  JSON.stringify({
    requests,
    failed,
    perSecond: requests / elapsed,
    latencyMs: summary(latencies),
    firstByteMs: summary(firstBytes),
  }),
);
