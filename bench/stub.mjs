// A policy and a judge that cost next to nothing: answers are bytes made once. Prints "listening on PORT".
import { createServer } from 'node:http';

const TOKENS = 100;
const TOKEN = 'forty bytes of text for one token here. ';

// `scores`: it also scores given tokens, as a hint teacher's engine does. `promptTokens`: what it says that each prompt has.
// A question with "judged in N ms" in its text is answered after so long. POST /outage `down`: the judge answers 503, also what it was
// asked before; `up`: no more.
const { judgeDelayMs = 0, scores = false, promptTokens = 400 } = JSON.parse(process.argv[2] ?? '{}');

const entry = (i) => ({ token: TOKEN, bytes: null, logprob: -0.01 * (i + 1), top_logprobs: [] });
const ids = Array.from({ length: TOKENS }, (_, i) => i + 10);
const promptIds = Array.from({ length: promptTokens }, (_, i) => i + 1);
const usage = { prompt_tokens: promptIds.length, completion_tokens: TOKENS, total_tokens: promptIds.length + TOKENS };
const envelope = { id: 'stub', created: 1, model: 'policy' };

const whole = (captured) => {
  const choice = {
    index: 0,
    message: { role: 'assistant', content: TOKEN.repeat(TOKENS), reasoning_content: null, tool_calls: null },
    logprobs: captured ? { content: ids.map((_, i) => entry(i)) } : null,
    finish_reason: 'stop',
    matched_stop: null,
  };
  const extension = captured ? { sglext: { input_ids: promptIds, output_ids: [ids] } } : {};
  return Buffer.from(
    JSON.stringify({ ...envelope, object: 'chat.completion', choices: [choice], usage, ...extension }),
  );
};

const events = (captured) => {
  const chunk = (rest) => `data: ${JSON.stringify({ ...envelope, object: 'chat.completion.chunk', ...rest })}\n\n`;
  const piece = (delta, logprobs, finish_reason = null) =>
    chunk({ choices: [{ index: 0, delta, logprobs, finish_reason, matched_stop: null }], usage: null });
  return [
    piece({ role: 'assistant', content: '', reasoning_content: null }, null),
    ...ids.map((_, i) => piece({ content: TOKEN }, captured ? { content: [entry(i)] } : null)),
    piece({}, null, 'stop'),
    ...(captured ? [chunk({ choices: [], sglext: { input_ids: promptIds, output_ids: [ids] } })] : []),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ].map((text) => Buffer.from(text));
};

const answers = { true: whole(true), false: whole(false) };
const streams = { true: events(true), false: events(false) };
const verdict = Buffer.from(
  JSON.stringify({
    ...envelope,
    object: 'chat.completion',
    choices: [{ index: 0, message: { role: 'assistant', content: '\\boxed{1}' }, finish_reason: 'stop' }],
    usage,
  }),
);

const hint = Buffer.from(
  JSON.stringify({
    ...envelope,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: '{"reason":"r","decision":1,"hint":"Answer with a list, and with no table."}',
        },
        finish_reason: 'stop',
      },
    ],
    usage,
  }),
);

const tokensOf = (tokens) => Buffer.from(JSON.stringify({ tokens, count: tokens.length, max_model_len: 100_000 }));
const HINT_IDS = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const plainPrompt = tokensOf(promptIds);
const hintedPrompt = tokensOf([...promptIds, ...HINT_IDS]);
const textTokens = tokensOf(HINT_IDS);

const tokenized = (text) => {
  if (!text.includes('"messages":')) return textTokens;
  return text.includes("[user's hint / instruction]") ? hintedPrompt : plainPrompt;
};

// The same tokens come again and again: they are scored once.
let last = { text: '', answer: Buffer.alloc(0) };
const scored = (text) => {
  if (text !== last.text) last = { text, answer: score(text) };
  return last.answer;
};

const score = (text) => {
  const { input_ids: input, logprob_start_len: start } = JSON.parse(text);
  const entries = input.slice(start).map((id, i) => [i === 0 ? null : -0.5, id, null]);
  return Buffer.from(JSON.stringify({ text: '', meta_info: { input_token_logprobs: entries } }));
};

const sendJson = (response, body) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
  response.end(body);
};

/** Questions that wait for their answers. */
const asked = new Set();
let isDown = false;
const refuse = (response) => response.writeHead(503).end();
const delayOf = (text) => Number(/judged in (\d+) ms/.exec(text)?.[1] ?? judgeDelayMs);

const judge = (text, response) => {
  if (isDown) return refuse(response);
  const answer = text.includes('"name":"hint"') ? hint : verdict;
  const delayMs = delayOf(text);
  if (delayMs === 0) return sendJson(response, answer);
  const question = { response, timer: setTimeout(() => reply(question, answer), delayMs) };
  asked.add(question);
};

const reply = (question, answer) => {
  asked.delete(question);
  sendJson(question.response, answer);
};

const setOutage = (word) => {
  isDown = word === 'down';
  if (!isDown) return;
  for (const { response, timer } of asked) {
    clearTimeout(timer);
    refuse(response);
  }
  asked.clear();
};

const handle = (text, response) => {
  if (text.includes('"model":"judge"')) return judge(text, response);
  const captured = text.includes('"return_output_ids_in_sglext":true');
  if (!text.includes('"stream":true')) return sendJson(response, answers[captured]);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const event of streams[captured]) response.write(event);
  response.end();
};

const server = createServer((request, response) => {
  const pieces = [];
  request.on('data', (piece) => pieces.push(piece));
  request.on('end', () => {
    if (request.method === 'GET') return sendJson(response, Buffer.from('{"data":[{"id":"policy"}]}'));
    const text = Buffer.concat(pieces).toString('latin1');
    if (request.url === '/outage') {
      setOutage(text);
      return response.end();
    }
    if (request.url === '/v1/tokenize') return sendJson(response, tokenized(text));
    if (request.url === '/generate' && scores) return sendJson(response, scored(text));
    if (request.url === '/generate') return response.writeHead(404).end();
    handle(text, response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
