// Load for the route by /generate. One JSON argument in, one JSON line out.
//   {kind: 'conversations', url, direct}: OpenClaw-shaped conversations of 50 turns, one after the other
//   {kind: 'paced', url, streams, tokens, pace}: so many streams at once, each of so many tokens at so many a second
import { Pool } from 'undici';

const options = JSON.parse(process.argv[2]);
const { url, streams = 1 } = options;
const pool = new Pool(url, { connections: streams, pipelining: 1, bodyTimeout: 0, headersTimeout: 0 });

const TURNS = 50;
const CONVERSATIONS = 6;

const text = (seed, length) =>
  Array.from({ length: Math.ceil(length / 8) }, (_, i) => ((i * 7919 + seed * 104729) % 2 ** 31).toString(36))
    .join(' ')
    .slice(0, length);

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

const post = async (path, body) => {
  const bytes = JSON.stringify(body);
  const startedAt = performance.now();
  const response = await pool.request({
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
  if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${content}`);
  return { firstMs, ms: performance.now() - startedAt, events, content };
};

const percentile = (values, share) =>
  values.sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))];

/** Times to the first byte at turn 5, at turn 50, and of all turns but the first. */
const conversations = async () => {
  const at = new Map();
  const direct = [];
  for (let conversation = 0; conversation < CONVERSATIONS; conversation += 1) {
    const history = [];
    for (let turn = 1; turn <= TURNS; turn += 1) {
      history.push({ role: 'user', content: `Question ${conversation}.${turn} ${text(turn, 200)}` });
      const { firstMs, content } = await post('/v1/chat/completions', {
        model: 'openclaw-rl',
        messages: [SYSTEM, ...history, CARRIER],
        tools: TOOLS,
        stream: true,
        max_tokens: 32,
      });
      if (turn > 1) at.set(turn, [...(at.get(turn) ?? []), firstMs]);
      const call = { id: `call${turn}`, type: 'function', function: { name: 'tool_1', arguments: '{"path":"a"}' } };
      history.push({ role: 'assistant', content: '', tool_calls: [call] });
      history.push(
        { role: 'tool', tool_call_id: `call${turn}`, content: text(turn + 99, 400) },
        { role: 'assistant', content },
      );
    }
  }
  const ids = Array.from({ length: 16_000 }, (_, i) => i % 1000);
  const directPool = new Pool(options.direct, { connections: 1 });
  for (let i = 0; i < TURNS; i += 1) {
    const body = JSON.stringify({ input_ids: ids, stream: true, sampling_params: { max_new_tokens: 32 } });
    const startedAt = performance.now();
    const response = await directPool.request({ method: 'POST', path: '/generate', body });
    let firstMs = 0;
    for await (const piece of response.body) if (piece.length > 0) firstMs ||= performance.now() - startedAt;
    direct.push(firstMs);
  }
  await directPool.close();
  const near = (turn) =>
    percentile(
      [turn - 2, turn - 1, turn].flatMap((each) => at.get(each)),
      0.5,
    );
  return {
    firstMs: percentile([...at.values()].flat(), 0.5),
    directMs: percentile(direct, 0.5),
    turn5Ms: near(5),
    turn50Ms: near(50),
  };
};

const paced = async ({ tokens, pace }) => {
  const one = (i) =>
    post('/v1/chat/completions', {
      model: 'openclaw-rl',
      messages: [{ role: 'user', content: `stream ${i}` }],
      stream: true,
      max_tokens: tokens,
      seed: pace,
    });
  const results = await Promise.all(Array.from({ length: streams }, (_, i) => one(i)));
  const idealMs = (tokens / pace) * 1000;
  return {
    lateMs: percentile(
      results.map(({ ms }) => ms - idealMs),
      0.5,
    ),
    latestMs: Math.max(...results.map(({ ms }) => ms - idealMs)),
    tokensPerSecond: (streams * tokens * 1000) / Math.max(...results.map(({ ms }) => ms)),
    events: Math.min(...results.map(({ events }) => events)),
  };
};

console.log(JSON.stringify(options.kind === 'conversations' ? await conversations() : await paced(options)));
await pool.close();
