import { logSoftmax, nextLogits, topIds } from '@app/pocket-lm';
import type { Candidate, Finish, Step } from '../generation/job';
import type { PocketModel } from '../model/pocket-model';
import type { JsonObject } from '../protocol/json';
import type { GenerateRequest } from './generate-request';

type Entry = readonly [logProb: number | null, id: number, text: string | null];

const entriesFor =
  (model: PocketModel, withText: boolean) =>
  (id: number, logProb: number | null): Entry => [logProb, id, withText ? model.tokenizer.textOf(id) : null];

/** Log-probs of the prompt: entry k is of token `start + k`, and the first one is always null. */
export const inputLogProbs = (model: PocketModel, { job, start, withText }: GenerateRequest): JsonObject => {
  const { promptIds, topCount } = job;
  const entry = entriesFor(model, withText);
  const scored = promptIds.slice(start);
  const rows = scored.length < 2 ? [] : nextLogits(model.machine, promptIds, start + 1).map(logSoftmax);
  const entries = scored.map((id, at) => entry(id, at === 0 ? null : (rows[at - 1]?.[id] ?? null)));
  if (topCount === 0) return { input_token_logprobs: entries };
  const tops = rows.map((row) => topIds(row, topCount).map((id) => entry(id, row[id] ?? null)));
  return { input_token_logprobs: entries, input_top_logprobs: [...(scored.length > 0 ? [null] : []), ...tops] };
};

export const outputLogProbs = (
  model: PocketModel,
  { job, withText }: GenerateRequest,
  steps: readonly Step[],
): JsonObject => {
  const entry = entriesFor(model, withText);
  const toEntry = ({ id, logProb }: Candidate): Entry => entry(id, logProb);
  return {
    output_token_logprobs: steps.map(toEntry),
    output_token_logprobs_length: steps.length,
    ...(job.topCount > 0 && { output_top_logprobs: steps.map(({ top }) => top.map(toEntry)) }),
  };
};

/** What an answer of /generate is made of. */
export interface GenerateResult {
  readonly request: GenerateRequest;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly finish: Finish | null;
  readonly version: string;
  readonly seconds: number;
  /** The prompt's log-probs, where they were asked for. */
  readonly input: JsonObject;
}

export const generateBody = (model: PocketModel, result: GenerateResult): JsonObject => {
  const { request, text, steps, finish, version, seconds, input } = result;
  const { rid, promptIds } = request.job;
  return {
    text,
    output_ids: steps.map(({ id }) => id),
    ...(request.withPromptIds && { prompt_token_ids: promptIds }),
    meta_info: {
      id: rid,
      finish_reason: finish,
      prompt_tokens: promptIds.length,
      weight_version: version,
      completion_tokens: steps.length,
      cached_tokens: 0,
      e2e_latency: seconds,
      ...input,
      ...(request.logProbs && outputLogProbs(model, request, steps)),
    },
  };
};
