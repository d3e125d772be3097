import type { Candidate, Ending, Finish, Step } from '../generation/job';
import type { PocketModel } from '../model/pocket-model';
import type { JsonObject } from '../protocol/json';
import type { ChatRequest } from './chat-request';

/** What an answer of the chat is written with. */
export interface ChatContext {
  readonly model: PocketModel;
  readonly request: ChatRequest;
  /** Seconds since 1970. */
  readonly created: number;
}

const head = ({ request, created }: ChatContext, object: string): JsonObject => ({
  id: request.job.rid,
  object,
  created,
  model: request.model,
});

/** `logprobs` of some steps: token texts and log-probs, no ids. */
const logProbsOf = ({ model }: ChatContext, steps: readonly Step[]): JsonObject => {
  const entry = ({ id, logProb }: Candidate): JsonObject => ({
    token: model.tokenizer.textOf(id),
    bytes: Array.from(model.vocabulary.bytesOf(id)),
    logprob: logProb,
  });
  return { content: steps.map((step) => ({ ...entry(step), top_logprobs: step.top.map(entry) })) };
};

const usage = ({ request }: ChatContext, completion: number): JsonObject => {
  const prompt = request.job.promptIds.length;
  return {
    prompt_tokens: prompt,
    total_tokens: prompt + completion,
    completion_tokens: completion,
    prompt_tokens_details: null,
    reasoning_tokens: 0,
  };
};

const stopOf = (finish: Finish): JsonObject => ({
  finish_reason: finish.type,
  matched_stop: finish.type === 'stop' ? finish.matched : null,
});

/** Ids beside an answer, where the request asked for them. */
const sglextOf = ({ request }: ChatContext, steps: readonly Step[]): JsonObject | null => {
  const { input, output } = request.sglext;
  if (!input && !output) return null;
  return {
    ...(input && { input_ids: request.job.promptIds }),
    ...(output && { output_ids: [steps.map(({ id }) => id)] }),
  };
};

/** A whole answer. */
export const completionBody = (context: ChatContext, steps: readonly Step[], ending: Ending): JsonObject => {
  const { request } = context;
  const sglext = sglextOf(context, steps);
  const content = steps.map(({ text }) => text).join('') + ending.tail;
  const choice = {
    index: 0,
    message: { role: 'assistant', content, reasoning_content: null, tool_calls: null },
    logprobs: request.logProbs ? logProbsOf(context, steps) : null,
    ...stopOf(ending.finish),
    ...(request.withPromptIds && { prompt_token_ids: request.job.promptIds }),
    ...(request.withMeta && {
      meta_info: { output_token_logprobs: steps.map(({ id, logProb }) => [logProb, id, null]) },
    }),
  };
  return {
    ...head(context, 'chat.completion'),
    choices: [choice],
    usage: usage(context, steps.length),
    metadata: { weight_version: ending.version },
    ...(sglext !== null && { sglext }),
  };
};

const chunk = (context: ChatContext, delta: JsonObject, rest: JsonObject = {}): JsonObject => ({
  ...head(context, 'chat.completion.chunk'),
  choices: [{ index: 0, delta, logprobs: null, finish_reason: null, matched_stop: null, ...rest }],
});

export const roleChunk = (context: ChatContext): JsonObject =>
  chunk(context, { role: 'assistant', content: '', reasoning_content: null });

/** The text of one step and its log-prob; null where there is neither. */
export const stepChunk = (context: ChatContext, step: Step): JsonObject | null => {
  const { logProbs } = context.request;
  if (step.text === '' && !logProbs) return null;
  const delta = { reasoning_content: null, ...(step.text !== '' && { content: step.text }) };
  return chunk(context, delta, logProbs ? { logprobs: logProbsOf(context, [step]) } : {});
};

/** What comes behind the last step: the rest of the text, why it ended, ids, usage; with the name of an event. */
export const endChunks = (
  context: ChatContext,
  steps: readonly Step[],
  { finish, tail }: Ending,
): { readonly data: JsonObject; readonly name?: string }[] => {
  const { request } = context;
  const sglext = sglextOf(context, steps);
  const bare = { ...head(context, 'chat.completion.chunk'), choices: [] };
  return [
    ...(tail === '' ? [] : [{ data: chunk(context, { reasoning_content: null, content: tail }) }]),
    { data: chunk(context, { reasoning_content: null }, stopOf(finish)) },
    ...(sglext === null
      ? []
      : [{ data: { ...bare, usage: null, sglext }, ...(request.sglext.framed && { name: 'sglext_ids' }) }]),
    ...(request.includeUsage ? [{ data: { ...bare, usage: usage(context, steps.length) } }] : []),
  ];
};
