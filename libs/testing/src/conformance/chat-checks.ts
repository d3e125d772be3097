import { asArray, asObject, asText, type JsonObject } from '../engine-double/json';
import { expectThat, skip, type ConformanceClient } from './client';

type Check = (client: ConformanceClient) => Promise<void>;

const IDS = { return_input_ids_in_sglext: true, return_output_ids_in_sglext: true };
const choiceOf = (answer: JsonObject): JsonObject => asObject(asArray(answer.choices)[0]);
const logprobsOf = (choice: JsonObject): unknown[] => asArray(asObject(choice.logprobs).content);
const isData = (event: JsonObject | '[DONE]'): event is JsonObject => event !== '[DONE]';

const chatShape: Check = async (client) => {
  const answer = await client.chat();
  const choice = choiceOf(answer);
  const message = asObject(choice.message);
  expectThat(answer.object === 'chat.completion', `object is ${String(answer.object)}`);
  expectThat(asText(answer.id) !== '', 'the answer has no id');
  expectThat(message.role === 'assistant', `role is ${String(message.role)}`);
  expectThat(typeof message.content === 'string', 'content is not a text');
  expectThat(
    ['stop', 'length'].includes(asText(choice.finish_reason)),
    `finish_reason ${String(choice.finish_reason)}`,
  );
};

function checkUsage(usage: JsonObject): void {
  const { prompt_tokens: prompt, completion_tokens: completion, total_tokens: total } = usage;
  expectThat(Number(prompt) > 0 && Number(completion) > 0, `usage is ${JSON.stringify(usage)}`);
  expectThat(Number(prompt) + Number(completion) === total, `usage does not add up: ${JSON.stringify(usage)}`);
}

const chatUsage: Check = async (client) => {
  checkUsage(asObject((await client.chat()).usage));
};

const chatStreamShape: Check = async (client) => {
  const events = await client.chatEvents();
  expectThat(events.at(-1) === '[DONE]', 'the stream does not end with [DONE]');
  const choices = events
    .filter(isData)
    .map(choiceOf)
    .filter(({ delta }) => delta !== undefined);
  expectThat(asObject(choices[0]?.delta).role === 'assistant', 'the first chunk has no role');
  expectThat(
    choices.some(({ delta }) => asText(asObject(delta).content) || asText(asObject(delta).reasoning_content)),
    'no chunk has text',
  );
  const finished = choices.filter(({ finish_reason: reason }) => typeof reason === 'string');
  expectThat(finished.length === 1, `${finished.length} chunks have a finish_reason`);
  expectThat(finished[0] === choices.at(-1), 'text comes behind the finish_reason');
};

const chatStreamUsage: Check = async (client) => {
  const last = (await client.chatEvents()).filter(isData).at(-1) ?? {};
  expectThat(asArray(last.choices).length === 0, 'the last chunk is no usage chunk');
  checkUsage(asObject(last.usage));
};

const chatLength: Check = async (client) => {
  const choice = choiceOf(await client.chat({ max_tokens: 2 }));
  expectThat(choice.finish_reason === 'length', `finish_reason ${String(choice.finish_reason)} at max_tokens 2`);
};

const chatLogprobs: Check = async (client) => {
  const answer = await client.orRefused(client.chat({ logprobs: true }));
  const entries = logprobsOf(choiceOf(answer)).map(asObject);
  expectThat(entries.length > 0, 'no log-probs came');
  expectThat(
    entries.every(({ logprob, token }) => Number(logprob) <= 0 && typeof token === 'string'),
    'an entry is not {token, logprob <= 0}',
  );
};

const chatTools: Check = async (client) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const tools = [{ type: 'function', function: { name: 'get_weather', description: 'Weather of a city', parameters } }];
  const messages = [{ role: 'user', content: 'What is the weather in Paris? Use the tool.' }];
  const choice = choiceOf(await client.chat({ messages, tools, tool_choice: 'required', max_tokens: 256 }));
  const call = asObject(asObject(asArray(asObject(choice.message).tool_calls)[0]).function);
  expectThat(call.name === 'get_weather', `no call of get_weather came: ${JSON.stringify(choice.message)}`);
  expectThat(choice.finish_reason === 'tool_calls', `finish_reason ${String(choice.finish_reason)} with a tool call`);
  expectThat(asText(call.arguments).startsWith('{'), `arguments are ${asText(call.arguments)}`);
};

const errorEnvelope: Check = async (client) => {
  const reply = await client.request('/v1/chat/completions', { model: await client.model(), messages: 7 });
  expectThat(reply.status === 400 || reply.status === 422, `wrong messages gave ${reply.status}`);
  const message = reply.json.message ?? asObject(reply.json.error).message ?? reply.json.detail;
  expectThat(message !== undefined, `the error has no message: ${reply.text.slice(0, 200)}`);
};

const chatIds: Check = async (client) => {
  const answer = await client.orRefused(client.chat({ logprobs: true, ...IDS }));
  const { input_ids: input, output_ids: output } = asObject(answer.sglext);
  if (input === undefined) skip('the answer has no sglext: chat gives no token ids here');
  const ids = asArray(asArray(output)[0]) as number[];
  const entries = logprobsOf(choiceOf(answer));
  expectThat(ids.length === entries.length, `${ids.length} output ids, ${entries.length} log-probs`);
  const { prompt_tokens: promptTokens } = asObject(answer.usage);
  expectThat(
    asArray(input).length === promptTokens,
    `${asArray(input).length} input ids, usage says ${String(promptTokens)}`,
  );
  const text = await client.detokenize(ids);
  const said = asText(asObject(choiceOf(answer).message).content);
  expectThat(text.includes(said), 'the output ids do not spell the content');
};

const chatPromptIds: Check = async (client) => {
  const body = await client.chatBody({ max_tokens: 1, ...IDS });
  const input = asObject((await client.orRefused(client.ok('/v1/chat/completions', body))).sglext).input_ids;
  if (input === undefined) skip('the answer has no sglext');
  const { tokens } = await client.ok('/v1/tokenize', { model: body.model, messages: body.messages });
  expectThat(JSON.stringify(tokens) === JSON.stringify(input), '/v1/tokenize renders the messages to other ids');
};

const chatStreamIds: Check = async (client) => {
  const events = (await client.orRefused(client.chatEvents({ logprobs: true, ...IDS }))).filter(isData);
  const at = events.findIndex((event) => event.sglext !== undefined && event.sglext !== null);
  if (at < 0) skip('the stream has no sglext: chat gives no token ids here');
  expectThat(asArray(events[at]?.choices).length === 0, 'the sglext chunk has choices');
  const finish = events.findIndex((event) => typeof choiceOf(event).finish_reason === 'string');
  expectThat(at > finish, 'the ids come before the finish chunk');
  const ids = asArray(asArray(asObject(events[at]?.sglext).output_ids)[0]);
  const entries = events.flatMap((event) => logprobsOf(choiceOf(event)));
  expectThat(ids.length === entries.length, `${ids.length} output ids, ${entries.length} log-probs in the chunks`);
};

/** Checks that any chat server can be asked. */
export const CHAT_CHECKS: readonly [string, Check][] = [
  ['chat-shape', chatShape],
  ['chat-usage', chatUsage],
  ['chat-length', chatLength],
  ['chat-logprobs', chatLogprobs],
  ['chat-tools', chatTools],
  ['chat-stream-shape', chatStreamShape],
  ['chat-stream-usage', chatStreamUsage],
  ['error-envelope', errorEnvelope],
  ['chat-ids', chatIds],
  ['chat-prompt-ids', chatPromptIds],
  ['chat-stream-ids', chatStreamIds],
];
