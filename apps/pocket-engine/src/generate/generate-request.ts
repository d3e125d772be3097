import type { JobRequest } from '../generation/job';
import { readJob, readRid } from '../generation/job-request';
import { checkPromptIds, readCount, tokenBudget } from '../generation/sampling-request';
import type { PocketModel } from '../model/pocket-model';
import { refuse } from '../protocol/engine-error';
import { objectOf, type JsonObject } from '../protocol/json';

const DEFAULT_TOKENS = 128;

/** A body of POST /generate. */
export interface GenerateRequest {
  readonly job: JobRequest;
  readonly stream: boolean;
  readonly logProbs: boolean;
  /** First position whose input log-prob is wanted; the length of the prompt wants none. */
  readonly start: number;
  readonly withText: boolean;
  readonly withPromptIds: boolean;
}

const readPrompt = (body: JsonObject, model: PocketModel): number[] => {
  const { text, input_ids: ids } = body;
  if (Array.isArray(ids)) return checkPromptIds(ids, model.config);
  if (typeof text === 'string') return checkPromptIds(model.tokenizer.encode(text), model.config);
  return refuse('Either text, input_ids or input_embeds should be provided.');
};

const readStart = (body: JsonObject, length: number): number => {
  const start = body.logprob_start_len ?? -1;
  if (typeof start !== 'number' || !Number.isInteger(start)) {
    return refuse('logprob_start_len must be a whole number', 'logprob_start_len');
  }
  if (start > length) refuse(`logprob_start_len ${start} is higher than the ${length} input tokens.`);
  return start < 0 ? length : start;
};

/** @throws EngineError */
export const parseGenerate = (body: JsonObject, model: PocketModel): GenerateRequest => {
  const promptIds = readPrompt(body, model);
  const params = objectOf(body.sampling_params);
  const isOpen = params.max_new_tokens === null;
  const limit = isOpen ? null : (readCount(params, 'max_new_tokens') ?? DEFAULT_TOKENS);
  const asked = {
    rid: readRid(body),
    promptIds,
    maxTokens: tokenBudget(promptIds.length, limit, model.config.context),
    seedField: 'sampling_seed',
    topCount: readCount(body, 'top_logprobs_num') ?? 0,
  };
  return {
    job: readJob(params, asked, model),
    stream: body.stream === true,
    logProbs: body.return_logprob === true,
    start: readStart(body, promptIds.length),
    withText: body.return_text_in_logprobs === true,
    withPromptIds: body.return_prompt_token_ids === true,
  };
};
