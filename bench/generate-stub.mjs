// An SGLang without ids in its chat, that costs next to nothing: /generate streams tokens at the pace that `max_new_tokens`
// and the seed (tokens per second, none: at once) ask for. Each piece holds one token and only what is new, or, with `every`,
// so many tokens and all that came before. Prints "listening on PORT".
import { createServer } from 'node:http';
import { partsHere, PromptRenderer, readModelFolder, Vocabulary } from '../dist/libs/tokens/src/index.js';

const { folder, every = null } = JSON.parse(process.argv[2]);
const model = readModelFolder(folder);
const renderer = new PromptRenderer(new Vocabulary(model), partsHere(model));
const render = async (messages) => {
  const prompt = renderer.begin({ messages, tools: [], kwargs: {} });
  return Array.from((await prompt({ turnId: 'stub', parent: null })).ids);
};

const FORTY = 'forty bytes of text, in tokens of their own, again and again. ';
const WORDS = (await render([{ role: 'user', content: FORTY }])).slice(3, 16);
const END = (await render([{ role: 'user', content: 'x' }])).at(-4);

const readBody = async (request) => {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString() || '{}';
};

const json = (response, value) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));

const entry = (id) => `[-0.25,${id},null]`;

/** One piece of an answer as JSON; the lists as they stand between their brackets. */
const piece = ({ ids, entries, total, promptTokens, finish }) =>
  `{"text":"","output_ids":[${ids}],"meta_info":{"id":"stub","finish_reason":${JSON.stringify(finish)},` +
  `"prompt_tokens":${promptTokens},"completion_tokens":${total},"output_token_logprobs":[${entries}],"weight_version":"1"}}`;

const generate = (response, { input_ids: prompt, sampling_params: params, stream }) => {
  const count = params.max_new_tokens ?? 32;
  const idAt = (i) => (i === count - 1 ? END : WORDS[i % WORDS.length]);
  const finishAt = (i) => (i === count - 1 ? { type: 'stop', matched: END } : null);
  const promptTokens = prompt.length;
  if (!stream) {
    const all = Array.from({ length: count }, (_, i) => idAt(i));
    const whole = piece({
      ids: all.join(','),
      entries: all.map(entry).join(','),
      total: count,
      promptTokens,
      finish: finishAt(count - 1),
    });
    response.writeHead(200, { 'content-type': 'application/json' }).end(whole);
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const steps = every ?? 1;
  let [ids, entries] = ['', ''];
  /** The event that ends with token i; none within a step. */
  const event = (i) => {
    const comma = ids === '' ? '' : ',';
    ids += `${comma}${idAt(i)}`;
    entries += `${comma}${entry(idAt(i))}`;
    if ((i + 1) % steps !== 0 && i < count - 1) return '';
    const text = piece({ ids, entries, total: i + 1, promptTokens, finish: finishAt(i) });
    if (every === null) [ids, entries] = ['', ''];
    return `data: ${text}\n\n`;
  };
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

const chat = async (response, { messages, stream }) => {
  const choice = { index: 0, message: { role: 'assistant', content: 'yes' }, finish_reason: 'stop' };
  if (!stream) return json(response, { choices: [choice], usage: { prompt_tokens: (await render(messages)).length } });
  const chunk = { choices: [{ index: 0, delta: { content: 'yes' }, finish_reason: 'stop' }] };
  return response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`);
};

/** What was asked for last, so that the very same can be asked without a gateway. */
let lastGenerate = '';

const server = createServer(async (request, response) => {
  const text = await readBody(request);
  const body = JSON.parse(text);
  if (request.url === '/generate') {
    lastGenerate = text;
    generate(response, body);
  } else if (request.url === '/last-generate') response.end(lastGenerate);
  else if (request.url === '/v1/chat/completions') await chat(response, body);
  else if (request.url === '/v1/tokenize') json(response, { tokens: await render(body.messages) });
  else if (request.url === '/v1/models') json(response, { data: [{ id: 'policy' }] });
  else response.writeHead(404).end();
});
server.listen(0, '127.0.0.1', () => console.log(`listening on ${server.address().port}`));
