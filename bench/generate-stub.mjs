// An SGLang without ids in its chat, that costs next to nothing: /generate streams tokens at the pace that `max_new_tokens`
// and the seed (tokens per second, none: at once) ask for, only what is new. Prints "listening on PORT".
import { createServer } from 'node:http';
import { PromptRenderer, readModelFolder } from '../dist/libs/tokens/src/index.js';

const { folder } = JSON.parse(process.argv[2]);
const renderer = new PromptRenderer(readModelFolder(folder));
const render = (messages) =>
  Array.from(renderer.render({ turnId: 'stub', parent: null, messages, tools: [], kwargs: {} }).ids);

const WORDS = render([
  { role: 'user', content: 'forty bytes of text, in tokens of their own, again and again. ' },
]).slice(3, 16);
const END = render([{ role: 'user', content: 'x' }]).at(-4);

const readBody = async (request) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString() || '{}');
};

const json = (response, value) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const piece = (ids, total, promptTokens, finish) => ({
  text: '',
  output_ids: ids,
  meta_info: {
    id: 'stub',
    finish_reason: finish,
    prompt_tokens: promptTokens,
    completion_tokens: total,
    output_token_logprobs: ids.map((id) => [-0.25, id, null]),
    weight_version: '1',
  },
});

const generate = (response, { input_ids: prompt, sampling_params: params, stream }) => {
  const count = params.max_new_tokens ?? 32;
  const idAt = (i) => (i === count - 1 ? END : WORDS[i % WORDS.length]);
  const finishAt = (i) => (i === count - 1 ? { type: 'stop', matched: END } : null);
  if (!stream) {
    const ids = Array.from({ length: count }, (_, i) => idAt(i));
    json(response, piece(ids, count, prompt.length, finishAt(count - 1)));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const event = (i) => `data: ${JSON.stringify(piece([idAt(i)], i + 1, prompt.length, finishAt(i)))}\n\n`;
  const pace = params.sampling_seed ?? 0;
  const startedAt = performance.now();
  let sent = 0;
  const send = () => {
    const due = pace === 0 ? count : Math.min(count, Math.floor(((performance.now() - startedAt) / 1000) * pace) + 1);
    let text = '';
    for (; sent < due; sent += 1) text += event(sent);
    if (text !== '') response.write(text);
    if (sent < count) setTimeout(send, Math.max(1, 1000 / pace / 2));
    else response.end('data: [DONE]\n\n');
  };
  send();
};

const chat = (response, { messages, stream }) => {
  const choice = { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' };
  if (!stream) return json(response, { choices: [choice], usage: { prompt_tokens: render(messages).length } });
  const chunk = { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: 'stop' }] };
  return response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
};

const server = createServer(async (request, response) => {
  const body = await readBody(request);
  if (request.url === '/generate') generate(response, body);
  else if (request.url === '/v1/chat/completions') chat(response, body);
  else if (request.url === '/v1/tokenize') json(response, { tokens: render(body.messages) });
  else if (request.url === '/v1/models') json(response, { data: [{ id: 'policy' }] });
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
