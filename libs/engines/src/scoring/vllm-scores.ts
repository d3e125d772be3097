import { collectLogProbs, collectTop, IncompleteScoresError, type ScoreRequest, type Scores } from './scores';

type Place = Readonly<Record<string, { readonly logprob?: unknown; readonly rank?: unknown } | undefined>>;

/** Body of `POST /v1/completions` that scores the prompt; vLLM generates at least one token, which is thrown away. */
export const vllmScoreBody = ({ ids, topK }: ScoreRequest, model: string): Record<string, unknown> => ({
  model,
  prompt: Array.from(ids),
  max_tokens: 1,
  temperature: 1,
  prompt_logprobs: topK,
});

const rankOf = (entry: Place[string]): number => (typeof entry?.rank === 'number' ? entry.rank : Infinity);

/**
 * Reads vLLM's answer: one object per token of the whole prompt, the first of them null, with log-probs by token id: that of
 * the token itself and those of the likeliest ones.
 *
 * @throws IncompleteScoresError
 */
export const readVllmScores = (answer: unknown, request: ScoreRequest): Scores => {
  const { ids, topK } = request;
  const choice = (answer as { readonly choices?: readonly { readonly prompt_logprobs?: unknown }[] } | null)
    ?.choices?.[0];
  const places = choice?.prompt_logprobs;
  if (!Array.isArray(places) || places.length !== ids.length) {
    const count = Array.isArray(places) ? places.length : 0;
    throw new IncompleteScoresError(`${count} entries for ${ids.length} tokens`);
  }
  const at = (place: number): Place => (places[place] ?? {}) as Place;
  return {
    logProbs: collectLogProbs(request, (place) => {
      const entry = at(place)[String(ids[place])];
      return { logProb: entry?.logprob, id: entry === undefined ? undefined : ids[place] };
    }),
    top: collectTop(request, (place) =>
      Object.entries(at(place))
        .filter(([, entry]) => rankOf(entry) <= topK)
        .sort(([, a], [, b]) => rankOf(a) - rankOf(b))
        .map(([id, entry]) => ({ logProb: entry?.logprob, id: Number(id) })),
    ),
  };
};
