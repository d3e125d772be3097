import { isRecord, type ChatMessage } from '@app/chat';
import { invalidRequest } from '../errors/openai-error';
import { parseJsonObject } from '../http/parse-json';
import { isConstrained } from './constraints';
import type { JsonMember } from '../http/scan-json';
import { isSessionName, SESSION_NAME_FORM } from '../http/session-name';

type Json = Readonly<Record<string, unknown>>;

/** What the gateway itself reads of a chat request; everything else belongs to the model. */
export interface ChatRequest {
  /** The body, parsed. */
  readonly body: Json;
  /** Its members as they came. */
  readonly members: readonly JsonMember[];
  readonly model: string | null;
  readonly messages: readonly ChatMessage[];
  readonly tools: readonly unknown[];
  readonly stream: boolean;
  readonly logprobs: boolean;
  readonly choices: number;
  readonly temperature: number | null;
  readonly topP: number | null;
  readonly topK: number | null;
  /** Its tokens are not drawn from the policy's own distribution, as temperature, top_p and top_k shape it. */
  readonly isConstrained: boolean;
  /** The client's own wish to see token ids, which are then not taken out. */
  readonly wantsInputIds: boolean;
  readonly wantsOutputIds: boolean;
  readonly wantsTokenIds: boolean;
  readonly user: string | null;
  readonly promptCacheKey: string | null;
  readonly sessionId: string | null;
  readonly turnType: 'main' | 'side' | null;
  readonly sessionDone: boolean;
}

/** No context holds more; each is hashed, and a body of the largest size could have millions. */
const MAX_MESSAGES = 100_000;

const optional = <T>(body: Json, field: string, what: string, is: (value: unknown) => value is T): T | null => {
  const value = body[field];
  if (value === undefined || value === null) return null;
  if (!is(value)) throw invalidRequest(field, `must be ${what}`);
  return value;
};

const isString = (value: unknown): value is string => typeof value === 'string';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isNumber = (value: unknown): value is number => Number.isFinite(value);
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);
const isCount = (value: unknown): value is number => Number.isInteger(value) && (value as number) >= 1;
const isTurnType = (value: unknown): value is 'main' | 'side' => value === 'main' || value === 'side';

const checkContent = (content: unknown, field: string): void => {
  if (content === undefined || content === null || isString(content)) return;
  if (!isArray(content)) throw invalidRequest(field, 'must be a string, null or an array of parts');
  content.forEach((part, i) => {
    if (isString(part)) return;
    if (!isRecord(part)) throw invalidRequest(`${field}[${i}]`, 'must be an object');
    const { type, text } = part;
    if (type === 'text' && !isString(text ?? '')) throw invalidRequest(`${field}[${i}].text`, 'must be a string');
  });
};

const checkMessage = (message: unknown, field: string): ChatMessage => {
  if (!isRecord(message)) throw invalidRequest(field, 'must be an object');
  if (!isString(message.role) || message.role === '')
    throw invalidRequest(`${field}.role`, 'must be a non-empty string');
  checkContent(message.content, `${field}.content`);
  const calls = message.tool_calls;
  if (calls !== undefined && calls !== null) {
    if (!isArray(calls)) throw invalidRequest(`${field}.tool_calls`, 'must be an array');
    calls.forEach((call, i) => {
      const place = `${field}.tool_calls[${i}]`;
      if (!isRecord(call)) throw invalidRequest(place, 'must be an object');
      if (!isRecord(call.function ?? {})) throw invalidRequest(`${place}.function`, 'must be an object');
    });
  }
  return message as ChatMessage;
};

const checkTools = (tools: readonly unknown[]): readonly unknown[] => {
  tools.forEach((tool, i) => {
    if (!isRecord(tool)) throw invalidRequest(`tools[${i}]`, 'must be an object');
    if (!isRecord(tool.function ?? {})) throw invalidRequest(`tools[${i}].function`, 'must be an object');
  });
  return tools;
};

/**
 * Parses and checks a chat request before anything is forwarded.
 * @throws OpenAiError 400 that names the field.
 */
export const parseChatRequest = (raw: Buffer): ChatRequest => {
  const { value: body, members } = parseJsonObject(raw);
  if (!isArray(body.messages) || body.messages.length === 0 || body.messages.length > MAX_MESSAGES) {
    throw invalidRequest('messages', `must be an array of 1 to ${MAX_MESSAGES} messages`);
  }
  for (const field of ['max_tokens', 'max_completion_tokens']) optional(body, field, 'a number', isNumber);
  return {
    body,
    members,
    model: optional(body, 'model', 'a string', isString),
    messages: body.messages.map((message, i) => checkMessage(message, `messages[${i}]`)),
    tools: checkTools(optional(body, 'tools', 'an array', isArray) ?? []),
    stream: optional(body, 'stream', 'a boolean', isBoolean) ?? false,
    logprobs: optional(body, 'logprobs', 'a boolean', isBoolean) ?? false,
    choices: optional(body, 'n', 'a whole number from 1', isCount) ?? 1,
    temperature: optional(body, 'temperature', 'a number', isNumber),
    topP: optional(body, 'top_p', 'a number', isNumber),
    topK: optional(body, 'top_k', 'a number', isNumber),
    isConstrained: isConstrained(body),
    wantsInputIds: body.return_input_ids_in_sglext === true,
    wantsOutputIds: body.return_output_ids_in_sglext === true,
    wantsTokenIds: body.return_token_ids === true,
    user: optional(body, 'user', 'a string', isString),
    promptCacheKey: optional(body, 'prompt_cache_key', 'a string', isString),
    sessionId: optional(body, 'session_id', SESSION_NAME_FORM, isSessionName),
    turnType: optional(body, 'turn_type', '"main" or "side"', isTurnType),
    sessionDone: optional(body, 'session_done', 'a boolean', isBoolean) ?? false,
  };
};
