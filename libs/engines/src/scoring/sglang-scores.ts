import { collectLogProbs, collectTop, IncompleteScoresError, type ScoreRequest, type Scores } from './scores';

type Entry = readonly [logProb: unknown, id: unknown, ...rest: unknown[]];

/**
 * Body of `POST /generate` that scores and generates nothing. The first entry of a window is always null, so the window
 * begins one token before the response.
 */
export const sglangScoreBody = ({ ids, responseLength, topK }: ScoreRequest): Record<string, unknown> => ({
  input_ids: Array.from(ids),
  sampling_params: { temperature: 1, max_new_tokens: 0 },
  return_logprob: true,
  logprob_start_len: ids.length - responseLength - 1,
  ...(topK === 0 ? {} : { top_logprobs_num: topK }),
});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? (value as unknown[]) : []);
const entryOf = (value: unknown): { logProb: unknown; id: unknown } => {
  const [logProb, id] = listOf(value) as Partial<Entry>;
  return { logProb, id };
};

/**
 * Reads SGLang's answer: R + 1 entries `[log-prob, id, text]`, the first of which belongs to the prompt and is dropped.
 *
 * @throws IncompleteScoresError
 */
export const readSglangScores = (answer: unknown, request: ScoreRequest): Scores => {
  const { ids, responseLength } = request;
  const meta = (answer as { readonly meta_info?: Readonly<Record<string, unknown>> } | null)?.meta_info;
  const entries = listOf(meta?.input_token_logprobs);
  if (entries.length !== responseLength + 1) {
    throw new IncompleteScoresError(`${entries.length} entries for ${responseLength} response tokens and one before`);
  }
  const start = ids.length - responseLength - 1;
  if (entryOf(entries[0]).id !== ids[start]) {
    throw new IncompleteScoresError(`the window begins with ${String(entryOf(entries[0]).id)}, not with ${ids[start]}`);
  }
  const top = listOf(meta?.input_top_logprobs);
  return {
    logProbs: collectLogProbs(request, (place) => entryOf(entries[place - start])),
    top: collectTop(request, (place) => listOf(top[place - start]).map(entryOf)),
  };
};
