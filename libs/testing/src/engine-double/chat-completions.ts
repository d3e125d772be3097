import { AnswerParser, type AnswerDelta } from './answer-parser';
import { demandedCall, judgeAnswer, readableAnswer } from './answers';
import { parseChat, type ChatRequest } from './chat-request';
import {
  chatFinishReason,
  chatLogprobs,
  chatMessage,
  collect,
  matchedStop,
  toolDelta,
  usage,
  type CollectedMessage,
  type ReasoningField,
} from './chat-shapes';
import type { Engine, Job } from './engine';
import type { Exchange } from './exchange';
import { generate, type Finish, type Step } from './generation';
import { asText, type JsonObject } from './json';
import type { ScriptedAnswer } from './options';
import { refuseByScript } from './refuse-by-script';
import { VOCABULARY_SIZE } from './tokenizer';

interface Chat {
  engine: Engine;
  exchange: Exchange;
  job: Job;
  request: ChatRequest;
  answer: ScriptedAnswer | undefined;
}

const isSglang = ({ engine }: Chat): boolean => engine.settings.dialect === 'sglang';

function head({ job, exchange }: Chat, object: string): JsonObject {
  const model = asText(exchange.body.model) || 'default';
  return { id: job.rid, object, created: Math.floor(Date.now() / 1000), model };
}

/** What ended the answer, in the dialect's own field. */
function stopField({ engine }: Chat, stop: number | string | null): JsonObject {
  if (engine.settings.dialect === 'sglang') return { matched_stop: stop };
  return engine.settings.dialect === 'vllm' ? { stop_reason: stop } : {};
}

const reasoningField = ({ engine }: Chat): ReasoningField =>
  engine.settings.dialect === 'vllm' ? 'reasoning' : 'reasoning_content';

/** Whether vLLM's `token_ids` are sent. */
const sendsTokenIds = ({ engine, exchange }: Chat): boolean =>
  engine.settings.dialect === 'vllm' && engine.settings.tokenIds && exchange.body.return_token_ids === true;

/** The `sglext` of an answer, where its request asked for ids by flags or headers. */
function sglext({ engine, exchange, request }: Chat, ids: readonly number[]): JsonObject | undefined {
  const asks = (what: string): boolean =>
    exchange.body[`return_${what}_ids_in_sglext`] === true || exchange.header(`x-sglext-return-${what}-ids`) === '1';
  if (!engine.settings.sglext || engine.settings.dialect !== 'sglang') return undefined;
  const extension = {
    ...(asks('input') && { input_ids: request.promptIds }),
    ...(asks('output') && { output_ids: [ids] }),
  };
  return Object.keys(extension).length > 0 ? extension : undefined;
}

/** The finish reason that is said, after the fault that hides the length. */
function saidFinish(chat: Chat, finish: Finish, calls: number): string {
  const reason = chatFinishReason(finish, calls, chat.answer);
  return reason === 'length' && chat.engine.has('length_not_said') ? 'stop' : reason;
}

function choiceChunk(chat: Chat, delta: JsonObject, rest: JsonObject = {}): JsonObject {
  const choice = { index: 0, delta, logprobs: null, finish_reason: null, ...stopField(chat, null), ...rest };
  return { ...head(chat, 'chat.completion.chunk'), choices: [choice] };
}

/** Sends what some steps brought; their log-probs ride on the first text chunk, or on an empty one behind tool deltas. */
function sendSteps(chat: Chat, deltas: readonly AnswerDelta[], steps: readonly Step[]): void {
  const dropped = chat.engine.has('stream_logprob_missing') && deltas.length === 0;
  const logprobs = chat.request.logprobs && steps.length > 0 && !dropped ? chatLogprobs(steps) : null;
  const ids = sendsTokenIds(chat) && steps.length > 0 ? { token_ids: steps.map(({ id }) => id) } : {};
  let rest: JsonObject | null = logprobs || ids.token_ids ? { logprobs, ...ids } : null;
  const reasoning = reasoningField(chat);
  for (const delta of deltas) {
    if (delta.kind === 'tool') {
      const fields = {
        role: null,
        content: null,
        [reasoning]: null,
        tool_calls: [toolDelta(delta, chat.answer)],
      };
      chat.exchange.event(choiceChunk(chat, fields));
    } else {
      const fields =
        delta.kind === 'content' ? { [reasoning]: null, content: delta.text } : { [reasoning]: delta.text };
      chat.exchange.event(choiceChunk(chat, fields, rest ?? {}));
      rest = null;
    }
  }
  if (rest) chat.exchange.event(choiceChunk(chat, { [reasoning]: null }, rest));
}

function sendEnd(chat: Chat, finish: Finish, ending: { ids: number[]; calls: number }): void {
  const { engine, exchange, request } = chat;
  const { ids, calls } = ending;
  const said = { finish_reason: saidFinish(chat, finish, calls), ...stopField(chat, matchedStop(finish)) };
  exchange.event(choiceChunk(chat, { [reasoningField(chat)]: null }, said));
  const extension = sglext(chat, engine.has('sglext_without_last_id') ? ids.slice(0, -1) : ids);
  if (extension) {
    const name = exchange.header('x-sglext-ids-framed') === '1' ? 'sglext_ids' : undefined;
    exchange.event({ ...head(chat, 'chat.completion.chunk'), choices: [], usage: null, sglext: extension }, name);
  }
  if (request.includeUsage && !engine.has('stream_without_usage')) {
    const counted = usage(request.promptIds.length, ids);
    exchange.event({ ...head(chat, 'chat.completion.chunk'), choices: [], usage: counted });
  }
  exchange.done();
}

async function answerStream(chat: Chat): Promise<void> {
  const { engine, request } = chat;
  const parser = new AnswerParser({ reasoning: request.parseReasoning, tools: request.parseTools });
  const generation = generate(engine, { ...request, job: chat.job, answer: chat.answer });
  const ids: number[] = [];
  let calls = 0;
  let begun = false;
  let waiting: Step[] = [];
  const flush = (tail = ''): void => {
    const deltas = parser.push(waiting.map(({ text }) => text).join('') + tail);
    send(deltas, waiting);
    waiting = [];
  };
  const send = (deltas: readonly AnswerDelta[], steps: readonly Step[]): void => {
    calls += deltas.filter((delta) => delta.kind === 'tool' && delta.name !== undefined).length;
    sendSteps(chat, deltas, steps);
  };
  const begin = (): void => {
    if (!begun) {
      const first = choiceChunk(chat, { role: 'assistant', content: '', [reasoningField(chat)]: null });
      chat.exchange.event({ ...first, ...(sendsTokenIds(chat) && { prompt_token_ids: request.promptIds }) });
    }
    begun = true;
  };
  for (;;) {
    const next = await generation.next();
    if (next.done) {
      begin();
      flush(next.value.tail);
      send(parser.end(), []);
      sendEnd(chat, next.value.finish, { ids, calls });
      return;
    }
    begin();
    ids.push(next.value.id);
    waiting.push(next.value);
    if (waiting.length >= engine.settings.streamInterval) flush();
  }
}

async function answerWhole(chat: Chat): Promise<void> {
  const { engine, exchange, request } = chat;
  const parser = new AnswerParser({ reasoning: request.parseReasoning, tools: request.parseTools });
  const generation = generate(engine, { ...request, job: chat.job, answer: chat.answer });
  const message: CollectedMessage = { content: '', reasoning: '', calls: [] };
  const add = (delta: AnswerDelta): void => {
    collect(message, delta, chat.answer);
  };
  const steps: Step[] = [];
  let next = await generation.next();
  while (!next.done) {
    steps.push(next.value);
    parser.push(next.value.text).forEach(add);
    next = await generation.next();
  }
  [...parser.push(next.value.tail), ...parser.end()].forEach(add);

  const ids = steps.map(({ id }) => id);
  const { finish } = next.value;
  const { weightVersion } = engine.settings;
  const counted = usage(request.promptIds.length, ids);
  const wrongIds = ids.map((id, at) => (at === 0 ? (id + 1) % VOCABULARY_SIZE : id));
  const metaInfo = { output_token_logprobs: steps.map(({ logProb, id }) => [logProb, id, null]) };
  const choice = {
    index: 0,
    message: chatMessage(message, reasoningField(chat)),
    logprobs: request.logprobs ? chatLogprobs(steps) : null,
    finish_reason: saidFinish(chat, finish, message.calls.length),
    ...stopField(chat, matchedStop(finish)),
    ...(sendsTokenIds(chat) && { token_ids: ids }),
    ...(exchange.body.return_prompt_token_ids === true && { prompt_token_ids: request.promptIds }),
    ...(exchange.body.return_meta_info === true && { meta_info: metaInfo }),
  };
  const extension = sglext(chat, engine.has('output_ids_differ') ? wrongIds : ids);
  exchange.json(200, {
    ...head(chat, 'chat.completion'),
    choices: [choice],
    ...(sendsTokenIds(chat) && { prompt_token_ids: request.promptIds }),
    usage: engine.has('usage_wrong') ? { ...counted, completion_tokens: ids.length + 1 } : counted,
    ...(isSglang(chat) && { metadata: { weight_version: weightVersion } }),
    ...(extension && { sglext: extension }),
  });
}

/** What is said to a request: the script's answer, the judge's, or the policy's own; undefined draws from the model. */
function chooseAnswer(engine: Engine, exchange: Exchange): ScriptedAnswer | undefined {
  const scripted = engine.playbook.take(exchange.seen);
  if (scripted) return scripted;
  if (exchange.seen.role === 'judge') return judgeAnswer(exchange.body);
  return engine.settings.unscripted === 'readable' ? readableAnswer(exchange.body) : demandedCall(exchange.body);
}

/** POST /v1/chat/completions. */
export async function chatCompletions(engine: Engine, exchange: Exchange, job: Job): Promise<void> {
  const request = parseChat(exchange.body, engine.settings);
  const answer = chooseAnswer(engine, exchange);
  if (await refuseByScript(exchange, job, answer)) return;
  const chat = { engine, exchange, job, request, answer };
  await (request.stream ? answerStream(chat) : answerWhole(chat));
}
