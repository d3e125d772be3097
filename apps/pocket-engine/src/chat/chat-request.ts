import { InvalidContentError, isRecord, normalizeMessages, type ChatMessage } from '@app/chat';
import type { DialogMessage } from '@app/pocket-lm';
import type { JobRequest } from '../generation/job';
import { readJob, readRid } from '../generation/job-request';
import { checkPromptIds, readCount, tokenBudget } from '../generation/sampling-request';
import type { PocketModel } from '../model/pocket-model';
import { refuse } from '../protocol/engine-error';
import { objectOf, type JsonObject } from '../protocol/json';

/** A body of POST /v1/chat/completions. */
export interface ChatRequest {
  readonly job: JobRequest;
  readonly model: string;
  readonly stream: boolean;
  readonly includeUsage: boolean;
  readonly logProbs: boolean;
  /** Which ids the answer is to carry in `sglext`. */
  readonly sglext: { readonly input: boolean; readonly output: boolean; readonly framed: boolean };
  readonly withMeta: boolean;
  readonly withPromptIds: boolean;
}

const checkMessages = (messages: unknown): ChatMessage[] => {
  const list: unknown[] = Array.isArray(messages) ? messages : [];
  if (list.length === 0) refuse('messages: a list of at least one message is required', 'messages');
  list.forEach((message, at) => {
    if (!isRecord(message) || typeof message.role !== 'string') {
      refuse(`messages[${at}].role: a role is required`, 'messages');
    }
  });
  try {
    return normalizeMessages(list as ChatMessage[]);
  } catch (error) {
    if (error instanceof InvalidContentError) refuse(error.message, 'messages');
    throw error;
  }
};

/** The prompt of a chat body: its own `input_ids`, or the messages as the template shows them. @throws EngineError */
export const chatPromptIds = (body: JsonObject, model: PocketModel): number[] => {
  if (Array.isArray(body.input_ids)) return checkPromptIds(body.input_ids, model.config);
  const messages = checkMessages(body.messages);
  return model.tokenizer.promptIds(messages as unknown as DialogMessage[]);
};

/** What would have to be answered in a form that this model cannot hold to. */
const refuseForms = ({ tool_choice: choice, response_format: format }: JsonObject): void => {
  if (choice === 'required' || isRecord(choice)) refuse('tool_choice: this model calls no tools', 'tool_choice');
  const { type = 'text' } = objectOf(format);
  if (type !== 'text') refuse('response_format: this model answers in text only', 'response_format');
};

/** A chat asks for as much as a large model may say; here it gets what room there is, as in SGLang with allow_auto_truncate. */
const chatBudget = (promptTokens: number, asked: number | null, context: number): number =>
  tokenBudget(promptTokens, asked === null ? null : Math.min(asked, Math.max(1, context - promptTokens)), context);

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** @throws EngineError */
export const parseChat = (body: JsonObject, headers: Headers, model: PocketModel): ChatRequest => {
  const stream = body.stream === true;
  const [withMeta, withPromptIds] = [body.return_meta_info === true, body.return_prompt_token_ids === true];
  if ((readCount(body, 'n') ?? 1) !== 1) refuse('n: only 1 is supported', 'n');
  if (stream && (withMeta || withPromptIds)) {
    refuse('return_meta_info and return_prompt_token_ids are not supported with streaming.');
  }
  refuseForms(body);
  const promptIds = chatPromptIds(body, model);
  const limit = readCount(body, 'max_completion_tokens') ?? readCount(body, 'max_tokens');
  const logProbs = body.logprobs === true;
  const asked = {
    rid: readRid(body),
    promptIds,
    maxTokens: chatBudget(promptIds.length, limit, model.config.context),
    seedField: 'seed',
    topCount: logProbs ? (readCount(body, 'top_logprobs') ?? 0) : 0,
  };
  const asks = (what: string): boolean =>
    body[`return_${what}_ids_in_sglext`] === true || headers[`x-sglext-return-${what}-ids`] === '1';
  return {
    job: readJob(body, asked, model),
    model: typeof body.model === 'string' ? body.model : 'default',
    stream,
    includeUsage: objectOf(body.stream_options).include_usage === true,
    logProbs,
    sglext: { input: asks('input'), output: asks('output'), framed: headers['x-sglext-ids-framed'] === '1' },
    withMeta,
    withPromptIds,
  };
};
