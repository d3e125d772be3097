import type { UpstreamClient } from './upstream-client';

/** Any ids do: the probe asks how numbers are taken, not what they say. */
const PROMPT = [1, 2, 3];
const TOKENS = 8;
const TEMPERATURE = 2;

/** Mean difference in nats up to which two log-probs are the same number, computed with half-precision noise. */
const SAME = 0.05;

type Entry = readonly [number | null, number, ...unknown[]];

interface GenerateReply {
  readonly meta_info?: {
    readonly output_token_logprobs?: readonly Entry[];
    readonly input_token_logprobs?: readonly Entry[];
  };
}

const generate = async (engine: UpstreamClient, body: unknown): Promise<GenerateReply | null> => {
  const response = await engine.request('POST', '/generate', { api: 'engine', body: JSON.stringify(body) });
  const text = await response.body.text();
  if (response.status !== 200) return null;
  try {
    return JSON.parse(text) as GenerateReply;
  } catch {
    return null;
  }
};

const numbers = (entries: readonly Entry[] | undefined): (number | null)[] => (entries ?? []).map(([value]) => value);

/**
 * Finds out whether an SGLang server gives output log-probs after the sampling temperature (its default) or before it
 * (`SGLANG_RETURN_ORIGINAL_LOGPROB`): generates a few tokens at temperature 2 and scores the same tokens as input, which
 * is always done at temperature 1. null where the server has no `/generate`, or its answer cannot be compared.
 */
export const probeTempering = async (engine: UpstreamClient): Promise<boolean | null> => {
  const generated = await generate(engine, {
    input_ids: PROMPT,
    sampling_params: { temperature: TEMPERATURE, max_new_tokens: TOKENS, ignore_eos: true },
    return_logprob: true,
  });
  const output = generated?.meta_info?.output_token_logprobs;
  if (output === undefined || output.length === 0) return null;
  const scored = await generate(engine, {
    input_ids: [...PROMPT, ...output.map(([, id]) => id)],
    sampling_params: { temperature: 1, max_new_tokens: 0 },
    return_logprob: true,
    logprob_start_len: PROMPT.length - 1,
  });
  const reference = numbers(scored?.meta_info?.input_token_logprobs).slice(1);
  if (reference.length !== output.length) return null;
  const differences = numbers(output).map((value, i) => Math.abs((value ?? NaN) - (reference[i] ?? NaN)));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return Number.isNaN(mean) ? null : mean > SAME;
};
