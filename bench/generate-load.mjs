// Load for the route by /generate. One JSON argument in, one JSON line out.
//   {kind: 'conversations', url, direct, bare}: OpenClaw-shaped conversations of 50 turns, one after the other
//   {kind: 'paced', url, streams, tokens, pace}: so many streams at once, each of so many tokens at so many a second
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';

const options = JSON.parse(process.argv[2]);
const { url, streams = 1 } = options;
const pool = new Pool(url, { connections: streams, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });

const TURNS = 50;
const CONVERSATIONS = 6;
/** Those before the clock starts: a service runs for days, and its first thousand requests cost up to twice what all others do. */
const WARM_CONVERSATIONS = 30;
const BETWEEN_TURNS_MS = 30;

/** Words of an agent's prompt: a token for every four characters, as OpenClaw's own has. */
const WORDS = (
  'the agent reads a file and says what it found in /home/user/notes.md; use {"path": "src/index.ts"} or `npm run check` ' +
  'when asked, then wait for its result: never guess (see above). Ask before you change what other people made, keep ' +
  'answers short and say which command showed it. tool_call exit-code 127'
).split(' ');

/** A text that is the same for the same seed. */
const text = (seed, length) => {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  let written = '';
  while (written.length < length) {
    state = (state ^ (state << 13)) >>> 0;
    state ^= state >>> 17;
    state = (state ^ (state << 5)) >>> 0;
    written += `${WORDS[state % WORDS.length]}${state % 97 === 0 ? '\n' : ' '}`;
  }
  return written.slice(0, length);
};

const TOOLS = Array.from({ length: 12 }, (_, i) => ({
  type: 'function',
  function: {
    name: `tool_${i}`,
    description: text(i, 400),
    parameters: { type: 'object', properties: { path: { type: 'string' } } },
  },
}));
const SYSTEM = { role: 'system', content: text(1, 47_700) };
const CARRIER = {
  role: 'user',
  content: '<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>\nnone\n<<<END_OPENCLAW_INTERNAL_CONTEXT>>>',
};

const question = (conversation, turn) => ({
  role: 'user',
  content: `Question ${conversation}.${turn} ${text(turn, 200)}`,
});

const post = async (server, path, bytes) => {
  const startedAt = performance.now();
  const response = await server.request({
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json' },
    body: bytes,
  });
  let firstMs = 0;
  let events = 0;
  let content = '';
  for await (const piece of response.body) {
    if (firstMs === 0) firstMs = performance.now() - startedAt;
    const received = piece.toString();
    events += received.split('"delta":{"content":').length - 1;
    if (events < 100)
      for (const [, part] of received.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)) content += JSON.parse(part);
  }
  if (response.statusCode !== 200) throw new Error(`${path}: status ${response.statusCode}`);
  return { firstMs, ms: performance.now() - startedAt, events, content };
};

const chat = (server, body) =>
  post(server, '/v1/chat/completions', JSON.stringify({ model: 'openclaw-rl', stream: true, ...body }));

const percentile = (values, share) =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

const median = (values) => percentile(values, 0.5);

/** What an agent's next request says behind an answer: a tool's result, or, every second time, a person's next question. */
const messagesBehind = (conversation, turn, content) => {
  if (turn % 2 === 0) return [{ role: 'assistant', content }, question(conversation, turn + 1)];
  const call = { id: `call${turn}`, type: 'function', function: { name: 'tool_1', arguments: '{"path":"a"}' } };
  return [
    { role: 'assistant', content, tool_calls: [call] },
    { role: 'tool', tool_call_id: call.id, content: text(turn + 99, 400) },
  ];
};

/** The very prompt that the gateway has sent, straight to the engine. */
const generate = async (engine) => {
  const { body } = await engine.request({ method: 'GET', path: '/last-generate' });
  return post(engine, '/generate', Buffer.from(await body.arrayBuffer()));
};

/** What the gateway has added to an answer's first byte, and what the bare proxy adds. */
const comparing = (engine, bare) => async (served, body) => {
  const direct = await generate(engine);
  const [proxied, plain] = [await chat(bare, body), await chat(engine, body)];
  return {
    servedMs: served.firstMs,
    addedMs: served.firstMs - direct.firstMs,
    bareMs: proxied.firstMs - plain.firstMs,
  };
};

/**
 * What gateway and bare proxy add to the engine's own time to the first byte, at p50 of all turns but each conversation's
 * first; and how that grows from turn 5 to turn 50.
 */
const conversations = async () => {
  const [engine, bare] = [options.direct, options.bare].map((each) => new Pool(each, { connections: 1 }));
  const compared = comparing(engine, bare);
  const times = [];
  for (let conversation = -WARM_CONVERSATIONS; conversation < CONVERSATIONS; conversation += 1) {
    const history = [question(conversation, 1)];
    for (let turn = 1; turn <= TURNS; turn += 1) {
      const body = { messages: [SYSTEM, ...history, CARRIER], tools: TOOLS, max_tokens: 32, seed: 1000 };
      const served = await chat(pool, body);
      history.push(...messagesBehind(conversation, turn, served.content));
      // People and tools take longer than what is left to do behind an answer.
      if (conversation >= 0) await pause(BETWEEN_TURNS_MS);
      const measured = await compared(served, body);
      if (conversation >= 0) times.push({ turn, ...measured });
    }
  }
  await Promise.all([engine.close(), bare.close()]);
  const at = (what, from, to) =>
    median(times.filter(({ turn }) => turn >= from && turn <= to).map((measured) => measured[what]));
  return {
    firstMs: at('servedMs', 2, TURNS),
    addedMs: at('addedMs', 2, TURNS),
    bareMs: at('bareMs', 2, TURNS),
    growth: at('addedMs', TURNS - 4, TURNS) / at('addedMs', 3, 7),
  };
};

/** Streams that all begin at once: the first bytes, and how far behind the engine the last ones are then. */
const paced = async ({ tokens, pace }) => {
  const one = (i) =>
    chat(pool, { messages: [{ role: 'user', content: `stream ${i}` }], max_tokens: tokens, seed: pace });
  const results = await Promise.all(Array.from({ length: streams }, (_, i) => one(i)));
  // The engine sends the first token at once.
  const idealMs = ((tokens - 1) / pace) * 1000;
  const behind = results.map(({ firstMs, ms }) => ms - firstMs - idealMs);
  return {
    firstMs: median(results.map(({ firstMs }) => firstMs)),
    behindMs: median(behind),
    mostBehindMs: Math.max(...behind),
    events: Math.min(...results.map(({ events }) => events)),
  };
};

console.log(JSON.stringify(options.kind === 'conversations' ? await conversations() : await paced(options)));
await pool.close();
