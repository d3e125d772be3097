import type { Method, Score } from '@app/advantage';

/** Version of the schema below. It rises when a field changes its meaning or is taken away, not when one is added. */
export const SAMPLE_SCHEMA_VERSION = 1;

/** slime's names; its `pending`, `aborted` and `failed` never become samples here. */
export const SAMPLE_STATUSES = ['completed', 'truncated'] as const;
export type SampleStatus = (typeof SAMPLE_STATUSES)[number];

/** Where a reward came from: the judge's votes, a person's word, or nowhere: the teacher alone trains, with reward 0. */
export const REWARD_SOURCES = ['votes', 'feedback', 'none'] as const;
export type RewardSource = (typeof REWARD_SOURCES)[number];

/** Sampling parameters of the response; null where neither client nor configuration set one and the engine's default held. */
export interface SampleSampling {
  readonly temperature: number | null;
  readonly top_p: number | null;
  readonly top_k: number | null;
}

/** Policy version at the start and the end of the response; they differ when the weights changed in the middle of it. */
export interface PolicyVersionRange {
  readonly start: number;
  readonly end: number;
  /** Which tokens of the response are whose, oldest first, where that is known. */
  readonly spans?: readonly { readonly version: number; readonly tokens: number }[];
}

export const METHODS = ['binary', 'opd', 'hybrid'] as const satisfies readonly Method[];

/** Weights of a sample's two signals in its token advantages. */
export interface SignalWeights {
  readonly binary_reward: number;
  readonly opd: number;
}

/** What a sample carries beside slime's own fields. */
export interface SampleMetadata {
  readonly turn_id: string;
  readonly session_key: string;
  readonly policy_version: PolicyVersionRange;
  readonly sampling: SampleSampling;
  /** Whether the log-probs were taken after the sampling temperature; a trainer takes its own the same way. null: not known. */
  readonly log_probs_tempered: boolean | null;
  /** How the token ids were captured. */
  readonly route: string;
  readonly finish_reason: string;
  /** The judge's votes, null for a failed one; null where nobody voted. */
  readonly votes: readonly (Score | null)[] | null;
  readonly reward_source: RewardSource;
  /** The method that made the sample. */
  readonly method: Method;
  readonly weights: SignalWeights;
  /** The hint that the teacher was given; null where there is no teacher. */
  readonly hint: string | null;
  /** Answers before this one in its conversation, where the reward is integrated; null: it is not, or there is none. */
  readonly step_index: number | null;
  /** The outcome of the session that is part of an integrated reward. */
  readonly session_outcome: number | null;
}

/**
 * One training example: one model call. Field names and meanings are those of slime's `Sample`.
 * R = `response_length`; the prompt has P >= 1 tokens.
 */
export interface Sample {
  readonly schema_version: typeof SAMPLE_SCHEMA_VERSION;
  /** Set by whoever hands the sample to a trainer; null before. */
  readonly index: number | null;
  readonly group_index: number | null;
  /** Messages of the request; null where only the ids are kept. */
  readonly prompt: readonly unknown[] | null;
  /** The engine's own ids, prompt then response. [P + R] */
  readonly tokens: Int32Array;
  /** Text of the response, for reading; the tokens are what is trained on. */
  readonly response: string;
  readonly response_length: number;
  readonly reward: { readonly score: number };
  /** 1 where a response token is trained on. [R] */
  readonly loss_mask: Uint8Array;
  /** Log-probs of the response tokens as the engine sampled them, natural logarithm. [R] */
  readonly rollout_log_probs: Float64Array;
  /** Log-probs of the same tokens under the teacher, who was given the hint; at the temperature of the others. null: no teacher. [R] */
  readonly teacher_log_probs: Float64Array | null;
  /** Log-probs and ids of the teacher's likeliest tokens, K for each response token, likeliest first. null: none. [R * K] */
  readonly teacher_topk_log_probs: Float64Array | null;
  readonly teacher_topk_indices: Int32Array | null;
  /** 0 where the teacher gave no K tokens: that position is not distilled. [R] */
  readonly teacher_topk_mask: Uint8Array | null;
  /** The engine's own names of the weights that made the response, oldest first. */
  readonly weight_versions: readonly string[];
  readonly status: SampleStatus;
  readonly metadata: SampleMetadata;
}
