import { PROBE_NAME } from './routes/capture-route';
import type { UpstreamClient } from './upstream-client';

/** Any ids do: the probe asks how numbers are taken, not what they say. */
const PROMPT = [1, 2, 3];
const TOKENS = 8;
const TEMPERATURE = 2;
const TIMEOUT_MS = 60_000;

/** Mean difference in nats up to which two log-probs are the same number, computed with half-precision noise. */
const SAME = 0.05;

type Entry = readonly [number | null, number, ...unknown[]];

interface GenerateReply {
  readonly meta_info?: {
    readonly output_token_logprobs?: readonly Entry[];
    readonly input_token_logprobs?: readonly Entry[];
  };
}

interface CompletionsReply {
  readonly choices?: readonly {
    readonly token_ids?: readonly number[];
    readonly logprobs?: { readonly token_logprobs?: readonly (number | null)[] };
    readonly prompt_logprobs?: readonly (Readonly<Record<string, { readonly logprob?: number }>> | null)[];
  }[];
}

/** The same tokens' log-probs as they were generated, and as input, which is always scored at temperature 1. */
interface Comparison {
  readonly output: readonly (number | null)[];
  readonly input: readonly (number | null)[];
}

const post = async <Reply>(
  engine: UpstreamClient,
  { api, path }: { api: 'openai' | 'engine'; path: string },
  body: unknown,
): Promise<Reply | null> => {
  const response = await engine.request('POST', path, {
    api,
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const text = await response.body.text();
  if (response.status !== 200) return null;
  try {
    return JSON.parse(text) as Reply;
  } catch {
    return null;
  }
};

const GENERATE = { api: 'engine', path: '/generate' } as const;
const COMPLETIONS = { api: 'openai', path: '/completions' } as const;

const numbers = (entries: readonly Entry[] | undefined): (number | null)[] => (entries ?? []).map(([value]) => value);

/** SGLang. */
const compareByGenerate = async (engine: UpstreamClient): Promise<Comparison | null> => {
  const generated = await post<GenerateReply>(engine, GENERATE, {
    input_ids: PROMPT,
    rid: `${PROBE_NAME}-generated`,
    sampling_params: { temperature: TEMPERATURE, max_new_tokens: TOKENS, ignore_eos: true },
    return_logprob: true,
  });
  const output = generated?.meta_info?.output_token_logprobs;
  if (output === undefined || output.length === 0) return null;
  const scored = await post<GenerateReply>(engine, GENERATE, {
    input_ids: [...PROMPT, ...output.map(([, id]) => id)],
    rid: `${PROBE_NAME}-scored`,
    sampling_params: { temperature: 1, max_new_tokens: 0 },
    return_logprob: true,
    logprob_start_len: PROMPT.length - 1,
  });
  return { output: numbers(output), input: numbers(scored?.meta_info?.input_token_logprobs).slice(1) };
};

/** vLLM. */
const compareByCompletions = async (engine: UpstreamClient, model: string | null): Promise<Comparison | null> => {
  const common = { ...(model === null ? {} : { model }), user: PROBE_NAME };
  const generated = await post<CompletionsReply>(engine, COMPLETIONS, {
    ...common,
    prompt: PROMPT,
    max_tokens: TOKENS,
    temperature: TEMPERATURE,
    ignore_eos: true,
    logprobs: 1,
    return_token_ids: true,
  });
  const choice = generated?.choices?.[0];
  const [ids, output] = [choice?.token_ids, choice?.logprobs?.token_logprobs];
  if (ids === undefined || output === undefined || ids.length === 0) return null;
  const prompt = [...PROMPT, ...ids];
  const scored = await post<CompletionsReply>(engine, COMPLETIONS, {
    ...common,
    prompt,
    max_tokens: 1,
    temperature: 1,
    prompt_logprobs: 1,
  });
  const rows = scored?.choices?.[0]?.prompt_logprobs ?? [];
  return { output, input: rows.slice(PROMPT.length).map((row, i) => row?.[String(ids[i])]?.logprob ?? null) };
};

/**
 * Finds out whether an engine gives output log-probs after the sampling temperature (SGLang's default) or before it
 * (vLLM's, and SGLang's with `SGLANG_RETURN_ORIGINAL_LOGPROB`): generates a few tokens at temperature 2 and scores the
 * same tokens as input. null where the engine can do neither, or its answers cannot be compared.
 */
export const probeTempering = async (engine: UpstreamClient, model: string | null): Promise<boolean | null> => {
  const compared = (await compareByGenerate(engine)) ?? (await compareByCompletions(engine, model));
  if (compared === null || compared.input.length !== compared.output.length) return null;
  const { output, input } = compared;
  const differences = output.map((value, i) => Math.abs((value ?? NaN) - (input[i] ?? NaN)));
  const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
  return Number.isNaN(mean) ? null : mean > SAME;
};
