import { isRecord } from '@app/chat';
/** What we added to the request, and the client must not see in the answer. */
export interface Additions {
  readonly logprobs: boolean;
  readonly inputIds: boolean;
  readonly outputIds: boolean;
  /** Ids of prompt and response in the form of `return_token_ids`. */
  readonly tokenIds: boolean;
}

/** No additions: the answer goes on as it is, but for the model's name. */
export const NO_ADDITIONS: Additions = { logprobs: false, inputIds: false, outputIds: false, tokenIds: false };

type Json = Record<string, unknown>;

const withoutLogprobs = (choices: readonly unknown[]): unknown[] =>
  choices.map((choice) => (isRecord(choice) && isRecord(choice.logprobs) ? { ...choice, logprobs: null } : choice));

const hasLogprobs = (choices: unknown): choices is unknown[] =>
  Array.isArray(choices) && choices.some((choice) => isRecord(choice) && isRecord(choice.logprobs));

const hasTokenIds = (chunk: Json): boolean =>
  chunk.prompt_token_ids !== undefined ||
  (Array.isArray(chunk.choices) && chunk.choices.some((choice) => isRecord(choice) && choice.token_ids !== undefined));

/** The chunk without the ids of prompt and response; JSON has no `undefined`. */
const withoutTokenIds = (chunk: Json): Json => ({
  ...chunk,
  prompt_token_ids: undefined,
  ...(Array.isArray(chunk.choices)
    ? {
        choices: chunk.choices.map((choice: unknown) =>
          isRecord(choice) ? { ...choice, token_ids: undefined } : choice,
        ),
      }
    : {}),
});

/** The engine's extension without the ids that only we asked for; null where nothing is left. */
const clientExtension = (extension: Json, additions: Additions): Json | null => {
  const rest = Object.fromEntries(
    Object.entries(extension).filter(
      ([key]) => !(key === 'input_ids' && additions.inputIds) && !(key === 'output_ids' && additions.outputIds),
    ),
  );
  return Object.keys(rest).length === 0 ? null : rest;
};

const isNothing = (value: unknown): boolean =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** A piece of a stream that says nothing: the engine sent it for the log-probs of tokens that it still holds back. */
const saysNothing = (choice: unknown): boolean =>
  isRecord(choice) &&
  isRecord(choice.delta) &&
  isNothing(choice.finish_reason) &&
  Object.values(choice.delta).every(isNothing);

const isEmptyChunk = (chunk: Json): boolean =>
  Array.isArray(chunk.choices) &&
  chunk.choices.length === 0 &&
  !isRecord(chunk.usage) &&
  chunk.sglext === undefined &&
  chunk.error === undefined;

/**
 * An answer, or one chunk of it, as the client would have got it without us: the served model's name, and none of the
 * fields that we asked for and the client did not. Returns the same object if nothing had to change, null if nothing is
 * left of a chunk that only carried what we asked for.
 */
export const clientView = (chunk: Json, additions: Additions, servedModel: string): Json | null => {
  let view = chunk;
  if (typeof view.model === 'string' && view.model !== servedModel) view = { ...view, model: servedModel };
  if (additions.logprobs && hasLogprobs(view.choices)) {
    if (view.choices.every(saysNothing) && !isRecord(view.usage)) return null;
    view = { ...view, choices: withoutLogprobs(view.choices) };
  }
  if (additions.tokenIds && hasTokenIds(view)) view = withoutTokenIds(view);
  if (isRecord(view.sglext) && (additions.inputIds || additions.outputIds)) {
    const { sglext, ...rest } = view;
    const extension = clientExtension(sglext, additions);
    if (extension === null && isEmptyChunk(rest)) return null;
    view = extension === null ? rest : { ...rest, sglext: extension };
  }
  return view;
};
