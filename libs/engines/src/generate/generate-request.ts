type Json = Readonly<Record<string, unknown>>;

/** Sampling that holds where a request names none; `/generate` itself knows nothing of the model's own defaults. */
export interface GenerateDefaults {
  readonly temperature: number;
  readonly topP: number;
  readonly topK: number;
}

/** Fields that only an engine's chat can serve, and the values that ask for nothing. */
const CHAT_ONLY: Readonly<Record<string, readonly unknown[]>> = {
  continue_final_message: [false],
  separate_reasoning: [true],
  stream_reasoning: [true],
  skip_special_tokens: [true],
  top_logprobs: [0],
  echo: [false],
  return_hidden_states: [false],
  return_routed_experts: [false],
  return_input_ids_in_sglext: [false],
  return_output_ids_in_sglext: [false],
  return_token_ids: [false],
  return_prompt_token_ids: [false],
  return_meta_info: [false],
  session_params: [],
  stop_regex: [],
  documents: [],
};

/** The first field of a chat request that `/generate` cannot serve as a chat would; null where there is none. */
export const findChatOnlyField = (fields: Json): string | null =>
  Object.entries(CHAT_ONLY).find(([field, neutral]) => {
    const value = fields[field] ?? null;
    return value !== null && !neutral.includes(value);
  })?.[0] ?? null;

/** Chat fields that are passed on to the engine as they are, beside the sampling. */
const PASSED_ON = ['rid', 'priority', 'routing_key', 'extra_key', 'cache_salt', 'routed_dp_rank'] as const;

const asList = (value: unknown): readonly unknown[] => {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
};

/** Texts that end the answer. */
export const stopTexts = ({ stop }: Json): string[] => asList(stop).filter((text) => typeof text === 'string');

/** Ids that end the answer. */
export const stopIds = ({ stop_token_ids: ids }: Json): number[] => asList(ids).filter((id) => typeof id === 'number');

const samplingOf = (fields: Json, defaults: GenerateDefaults): Json => ({
  temperature: fields.temperature ?? defaults.temperature,
  top_p: fields.top_p ?? defaults.topP,
  top_k: fields.top_k ?? defaults.topK,
  // null is as much as fits the context; the engine's own default is short.
  max_new_tokens: fields.max_completion_tokens ?? fields.max_tokens ?? null,
  ...(stopTexts(fields).length === 0 ? {} : { stop: stopTexts(fields) }),
  ...(stopIds(fields).length === 0 ? {} : { stop_token_ids: stopIds(fields) }),
  // Where the engine's own text is taken it would cut the text that ended it.
  ...(fields.no_stop_trim === true ? { no_stop_trim: true } : {}),
  ...(typeof fields.seed === 'number' ? { sampling_seed: fields.seed } : {}),
  // The marks of thoughts and calls may be special tokens, and the text is not used.
  skip_special_tokens: false,
  spaces_between_special_tokens: false,
});

/**
 * The same request, to go on behind the tokens that have come: they become part of the prompt, and of what was asked for.
 *
 * @param promptIds the first prompt's ids as a JSON array
 */
export const continuedBody = (
  promptIds: Uint8Array,
  fields: Json,
  options: { readonly stream: boolean; readonly defaults: GenerateDefaults; readonly generated: readonly number[] },
): Buffer => {
  const { generated } = options;
  const longer =
    generated.length === 0
      ? promptIds
      : Buffer.from(`${Buffer.from(promptIds).toString('latin1').slice(0, -1)},${generated.join(',')}]`);
  const limit = fields.max_completion_tokens ?? fields.max_tokens;
  const left = typeof limit === 'number' ? { max_completion_tokens: Math.max(1, limit - generated.length) } : {};
  return generateBody(longer, { ...fields, ...left }, options);
};

/**
 * The body of a `/generate` that answers a chat request.
 *
 * @param promptIds the prompt's ids as a JSON array
 * @param fields the chat request's own, without messages and tools
 */
export const generateBody = (
  promptIds: Uint8Array,
  fields: Json,
  { stream, defaults }: { readonly stream: boolean; readonly defaults: GenerateDefaults },
): Buffer => {
  const passed = Object.fromEntries(
    PASSED_ON.filter((name) => fields[name] !== undefined).map((name) => [name, fields[name]]),
  );
  const rest = JSON.stringify({
    sampling_params: samplingOf(fields, defaults),
    return_logprob: true,
    stream,
    ...passed,
  });
  return Buffer.concat([Buffer.from('{"input_ids":'), promptIds, Buffer.from(`,${rest.slice(1)}`)]);
};
