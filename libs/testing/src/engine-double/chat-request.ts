import { isRecord } from '@app/chat';
import { EngineRequestError } from './errors';
import type { Sampling } from './generation';
import { asArray, asNumber, asObject, type JsonObject } from './json';
import { renderChat } from './messages';
import type { EngineDoubleSettings } from './options';
import { encode } from './tokenizer';

/** What OpenAI's chat API knows; a strict server refuses anything else. */
const OPENAI_FIELDS = new Set(
  (
    'model messages stream stream_options tools tool_choice parallel_tool_calls temperature top_p max_tokens ' +
    'max_completion_tokens stop n user seed presence_penalty frequency_penalty logit_bias response_format ' +
    'reasoning_effort metadata store logprobs top_logprobs prompt_cache_key service_tier'
  ).split(' '),
);

export interface ChatRequest {
  promptIds: number[];
  sampling: Sampling;
  stream: boolean;
  includeUsage: boolean;
  /** Whether log-probs are sent, and how many alternatives. */
  logprobs: boolean;
  topCount: number;
  parseReasoning: boolean;
  parseTools: boolean;
}

function refuse(message: string, param: string | null = null): never {
  throw new EngineRequestError(400, message, param);
}

function checkDialect(body: JsonObject, settings: EngineDoubleSettings): void {
  if (body.response_format !== undefined && !settings.jsonSchema) {
    const { type } = asObject(body.response_format);
    if (type === 'json_schema')
      refuse("response_format 'json_schema' is not supported by this model", 'response_format');
  }
  if (settings.dialect !== 'openai') return;
  for (const field of Object.keys(body)) {
    if (settings.refuses.includes(field)) refuse(`'${field}' is not supported with this model.`, field);
    if (!OPENAI_FIELDS.has(field)) refuse(`Unrecognized request argument supplied: ${field}`, field);
  }
}

function checkMessages(body: JsonObject): JsonObject[] {
  const messages = asArray(body.messages);
  if (messages.length === 0) refuse('messages: a list of at least one message is required', 'messages');
  messages.forEach((message, at) => {
    if (!isRecord(message) || typeof message.role !== 'string')
      refuse(`messages[${at}].role: a role is required`, 'messages');
  });
  return messages as JsonObject[];
}

/** The prompt ids of a chat body: its own `input_ids`, or the rendered messages. */
export function chatPromptIds(body: JsonObject): number[] {
  if (Array.isArray(body.input_ids)) return body.input_ids as number[];
  const { enable_thinking: thinking } = asObject(body.chat_template_kwargs);
  return encode(
    renderChat(checkMessages(body), {
      tools: body.tool_choice === 'none' ? [] : asArray(body.tools),
      continueFinal: body.continue_final_message === true,
      thinking: thinking !== false && body.reasoning_effort !== 'none',
    }),
  );
}

/** The number of tokens that may be generated, or a refusal where prompt and answer do not fit the context. */
export function tokenBudget(promptTokens: number, asked: number | undefined, contextLength: number): number {
  if (promptTokens >= contextLength) {
    refuse(`The input (${promptTokens} tokens) is longer than the model's context length (${contextLength} tokens).`);
  }
  if (asked !== undefined && promptTokens + asked > contextLength) {
    refuse(
      `Requested token count exceeds the model's maximum context length of ${contextLength} tokens. You requested a ` +
        `total of ${promptTokens + asked} tokens: ${promptTokens} tokens from the input messages and ${asked} tokens for the completion.`,
    );
  }
  return asked ?? contextLength - promptTokens;
}

const stopList = (stop: unknown): string[] => (typeof stop === 'string' ? [stop] : (asArray(stop) as string[]));

export function sampling(fields: JsonObject, maxTokens: number, settings: EngineDoubleSettings): Sampling {
  return {
    temperature: asNumber(fields.temperature) ?? settings.temperature,
    topP: asNumber(fields.top_p) ?? settings.topP,
    topK: asNumber(fields.top_k) ?? settings.topK,
    maxTokens,
    stop: stopList(fields.stop),
    stopTokenIds: asArray(fields.stop_token_ids) as number[],
    ignoreEos: fields.ignore_eos === true,
    skipSpecialTokens: fields.skip_special_tokens !== false,
    keepStop: fields.no_stop_trim === true,
  };
}

/** Checks a chat body and takes out what matters. Throws `EngineRequestError` with the status that an engine would give. */
export function parseChat(body: JsonObject, settings: EngineDoubleSettings): ChatRequest {
  checkDialect(body, settings);
  if ((asNumber(body.n) ?? 1) !== 1) refuse('n: only 1 is supported', 'n');
  const stream = body.stream === true;
  if (
    settings.dialect === 'sglang' &&
    stream &&
    (body.return_meta_info === true || body.return_prompt_token_ids === true)
  ) {
    refuse('return_meta_info and return_prompt_token_ids are not supported with streaming.');
  }
  const promptIds = chatPromptIds(body);
  const asked = asNumber(body.max_completion_tokens) ?? asNumber(body.max_tokens);
  return {
    promptIds,
    sampling: sampling(body, tokenBudget(promptIds.length, asked, settings.contextLength), settings),
    stream,
    includeUsage: asObject(body.stream_options).include_usage === true,
    logprobs: body.logprobs === true,
    topCount: body.logprobs === true ? (asNumber(body.top_logprobs) ?? 0) : 0,
    parseReasoning: body.separate_reasoning !== false,
    parseTools: asArray(body.tools).length > 0 && body.tool_choice !== 'none',
  };
}
