import { sampling, tokenBudget } from './chat-request';
import type { Engine, Job } from './engine';
import { EngineRequestError } from './errors';
import type { Exchange } from './exchange';
import { generate, scoreIds, type Finish, type Step } from './generation';
import { asNumber, asObject, asText, type JsonObject } from './json';
import { topTokens } from './language-model';
import { refuseByScript } from './refuse-by-script';
import { encode, tokenText, VOCABULARY_SIZE } from './tokenizer';

type Entry = [logProb: number | null, id: number, text: string | null];

interface GenerateRequest {
  promptIds: number[];
  logprobs: boolean;
  /** First position whose input log-prob is wanted; the length of the prompt wants none. */
  start: number;
  topCount: number;
  withText: boolean;
}

function parseGenerate(body: JsonObject): GenerateRequest {
  const ids = body.input_ids;
  if (typeof body.text !== 'string' && !Array.isArray(ids)) {
    throw new EngineRequestError(400, 'Either text, input_ids or input_embeds should be provided.');
  }
  const promptIds = Array.isArray(ids) ? (ids as number[]) : encode(asText(body.text));
  const bad = promptIds.findIndex((id) => !Number.isInteger(id) || id < 0 || id >= VOCABULARY_SIZE);
  if (bad >= 0) throw new EngineRequestError(400, `input_ids[${bad}] is not a token id of this model.`);
  if (promptIds.length === 0) throw new EngineRequestError(400, 'The prompt is empty.');
  const asked = asNumber(body.logprob_start_len) ?? -1;
  if (asked > promptIds.length) {
    throw new EngineRequestError(
      400,
      `logprob_start_len ${asked} is higher than the ${promptIds.length} input tokens.`,
    );
  }
  return {
    promptIds,
    logprobs: body.return_logprob === true,
    start: asked < 0 ? promptIds.length : asked,
    topCount: asNumber(body.top_logprobs_num) ?? 0,
    withText: body.return_text_in_logprobs === true,
  };
}

const entry = (logProb: number | null, id: number, withText: boolean): Entry => [
  logProb,
  id,
  withText ? tokenText(id) : null,
];

/** Input log-probs: entry k belongs to token `start + k`, and the first one is always null. */
function inputLogprobs(engine: Engine, request: GenerateRequest): JsonObject {
  const { promptIds, start, topCount, withText } = request;
  const rows = scoreIds(engine, promptIds, start);
  const offset = engine.has('scoring_differs') ? 0.5 : 0;
  const shift = engine.has('entries_shifted') ? 1 : 0;
  const entries = rows.map((row, at) => {
    const id = promptIds[start + at] ?? 0;
    const missing = engine.has('first_entry_not_null') ? 0 : null;
    return entry(row ? (row[id] ?? 0) - offset : missing, promptIds[start + at + shift] ?? id, withText);
  });
  const top = rows.map((row) =>
    row ? topTokens(row, topCount).map(({ id, logProb }) => entry(logProb, id, withText)) : null,
  );
  return { input_token_logprobs: entries, ...(topCount > 0 && { input_top_logprobs: top }) };
}

function outputLogprobs(engine: Engine, steps: readonly Step[], { topCount, withText }: GenerateRequest): JsonObject {
  const shown = engine.has('output_log_prob_missing') ? steps.slice(0, -1) : steps;
  return {
    output_token_logprobs: shown.map(({ logProb, id }) => entry(logProb, id, withText)),
    output_token_logprobs_length: shown.length,
    ...(topCount > 0 && {
      output_top_logprobs: shown.map(({ top }) => top.map(({ id, logProb }) => entry(logProb, id, withText))),
    }),
  };
}

function outputIdsOf({ settings: { outputIds } }: Engine, steps: readonly Step[], fresh: number): JsonObject {
  if (outputIds === 'none') return {};
  const shown = outputIds === 'new' ? steps.slice(steps.length - fresh) : steps;
  return { output_ids: shown.map(({ id }) => id) };
}

/** POST /generate: generation, and with `max_new_tokens: 0` scoring of given ids. */
export async function generateEndpoint(engine: Engine, exchange: Exchange, job: Job): Promise<void> {
  const { body } = exchange;
  const request = parseGenerate(body);
  const { promptIds } = request;
  const params = asObject(body.sampling_params);
  const budget = tokenBudget(
    promptIds.length,
    asNumber(params.max_new_tokens) ?? (params.max_new_tokens === null ? undefined : 128),
    engine.settings.contextLength,
  );
  const started = performance.now();
  const answer = budget > 0 ? engine.playbook.take(exchange.seen) : undefined;
  if (await refuseByScript(exchange, job, answer)) return;
  const limits = sampling(params, budget, engine.settings);
  const generation = generate(engine, { job, promptIds, sampling: limits, answer, topCount: request.topCount });
  const input = request.logprobs ? inputLogprobs(engine, request) : {};

  /**
   * @param total tokens so far, whether or not they are in this piece
   * @param fresh how many of them no earlier piece had
   */
  const result = (
    { text, steps, total, fresh = total }: { text: string; steps: readonly Step[]; total: number; fresh?: number },
    finish: Finish | null,
  ): JsonObject => ({
    text,
    ...outputIdsOf(engine, steps, fresh),
    ...(body.return_prompt_token_ids === true && { prompt_token_ids: promptIds }),
    meta_info: {
      id: job.rid,
      finish_reason: finish,
      prompt_tokens: promptIds.length,
      weight_version: engine.settings.weightVersion,
      completion_tokens: total,
      cached_tokens: 0,
      e2e_latency: (performance.now() - started) / 1000,
      ...input,
      ...(request.logprobs && outputLogprobs(engine, steps, request)),
    },
  });

  const steps: Step[] = [];
  const streaming = body.stream === true;
  const incremental = engine.settings.incrementalStreaming;
  let text = '';
  let next = await generation.next();
  while (!next.done) {
    steps.push(next.value);
    text += next.value.text;
    if (streaming) {
      const piece = incremental ? { text: next.value.text, steps: [next.value] } : { text, steps };
      exchange.event(result({ ...piece, total: steps.length, fresh: 1 }, null));
    }
    next = await generation.next();
  }
  const { finish, tail } = next.value;
  if (!streaming) {
    exchange.json(200, result({ text: text + tail, steps, total: steps.length }, finish));
    return;
  }
  const last = incremental ? { text: tail, steps: [] } : { text: text + tail, steps };
  exchange.event(result({ ...last, total: steps.length, fresh: 0 }, finish));
  exchange.done();
}
