import type { Gpu, Load } from './load';

/** Seconds of one GPU that a turn takes in each pool; in the teacher's for an average followed turn, hinted or not. */
export interface GpuSeconds {
  readonly policy: number;
  readonly judge: number;
  readonly teacher: number;
}

/**
 * Votes are counted whole: that a GPU has a turn's prompt in its cache after the first vote, and that voting ends early, is left as a
 * reserve. The teacher is asked for as many votes on a hint, and then reads prompt and answer once: scoring is prefill alone, and
 * nothing of it is in a cache, since the hint stands before the answer.
 */
export const gpuSecondsOf = (load: Load, { prefillTokensPerSecond, decodeTokensPerSecond }: Gpu): GpuSeconds => {
  const read = (tokens: number): number => tokens / prefillTokensPerSecond;
  const write = (tokens: number): number => tokens / decodeTokensPerSecond;
  const votes = load.votes * (read(load.votePromptTokens) + write(load.voteAnswerTokens));
  return {
    policy: read(load.uncachedTokens) + write(load.answerTokens),
    judge: votes,
    teacher: load.asksForHints ? votes + load.hintedShare * read(load.promptTokens + load.answerTokens) : 0,
  };
};
