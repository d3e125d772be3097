import type { IncomingHttpHeaders } from 'node:http';
import type { JsonObject } from './json';

/** One thing that a broken engine does wrong; each is caught by one check of the conformance suite. */
export const FAULTS = [
  'unhealthy',
  'model_info_without_version',
  'tokenize_loses_a_token',
  'first_entry_not_null',
  'entries_shifted',
  'scoring_differs',
  'output_log_prob_missing',
  'output_ids_differ',
  'sglext_without_last_id',
  'stream_logprob_missing',
  'usage_wrong',
  'stream_without_usage',
  'stream_without_done',
  'length_not_said',
  'abort_ignored',
  'pause_ignored',
  'errors_as_text',
] as const;

export type Fault = (typeof FAULTS)[number];

/** Everything that can be changed while the double runs. */
export interface EngineDoubleSettings {
  /** Model id of the policy. @default 'double' */
  model: string;
  /** Requests for this model id are judge requests. @default 'judge' */
  judgeModel: string;
  /** Further requests that are judge requests, by their body. */
  isJudge?: (body: JsonObject) => boolean;
  /** Bearer key that is asked for. @default none */
  apiKey?: string;
  /**
   * 'vllm': vLLM's chat, completions and errors. 'openai': a hosted model that refuses `refuses` and unknown fields, has no
   * ids and no control API. @default 'sglang'
   */
  dialect: 'sglang' | 'vllm' | 'openai';
  /** Fields that the openai dialect refuses with 400. @default ['logprobs', 'top_logprobs'] */
  refuses: readonly string[];
  /** Whether chat answers can carry token ids (`sglext`). @default true */
  sglext: boolean;
  /** What of a chat `/v1/tokenize` renders: all of it, no tools and no options, or no messages at all. @default 'all' */
  tokenizes: 'all' | 'messages' | 'texts';
  /** Names of the parsers that it was started with. @default qwen3, qwen25 */
  reasoningParser: string | null;
  toolCallParser: string | null;
  /** Whether a vLLM knows `return_token_ids`. @default true */
  tokenIds: boolean;
  /** Whether `response_format: json_schema` is supported; without it such a request is a 400. @default true */
  jsonSchema: boolean;
  /** Answer of the policy when nothing is scripted: a readable sentence, or tokens drawn from the model. @default 'readable' */
  unscripted: 'readable' | 'sampled';
  /** Tokens in a prompt and its answer. @default 131072 */
  contextLength: number;
  /** Tokens in one step of a stream. @default 1 */
  streamInterval: number;
  /** `--incremental-streaming-output`: /generate streams deltas, not everything so far. @default false */
  incrementalStreaming: boolean;
  /**
   * Where /generate has an answer's ids: as its text; `--stream-output` of 2025: only the new ones, with all text and
   * log-probs so far; early 2025: in the log-probs alone. @default 'as_text'
   */
  outputIds: 'as_text' | 'new' | 'none';
  /** Sampling parameters of requests that name none, as a model's generation_config. @default 1, 1, -1 */
  temperature: number;
  topP: number;
  topK: number;
  /** SGLANG_RETURN_ORIGINAL_LOGPROB: output log-probs are those of temperature 1, as they always are in vLLM. @default false */
  returnOriginalLogprob: boolean;
  /** Changes what is drawn. @default 0 */
  seed: number;
  /** Modes that /pause_generation knows; without any the route is not there. @default all three */
  pauseModes: readonly ('abort' | 'retract' | 'in_place')[];
  /** How long new weights take to load, in milliseconds. @default 0 */
  loadMs: number;
  /** Version of the weights; another version has other logits. @default 'default' */
  weightVersion: string;
  faults: readonly Fault[];
}

export interface EngineDoubleOptions extends Partial<EngineDoubleSettings> {
  /** @default 127.0.0.1 */
  host?: string;
  /** @default one that the kernel picks */
  port?: number;
}

export const DEFAULT_SETTINGS: EngineDoubleSettings = {
  model: 'double',
  judgeModel: 'judge',
  dialect: 'sglang',
  refuses: ['logprobs', 'top_logprobs'],
  sglext: true,
  tokenizes: 'all',
  reasoningParser: 'qwen3',
  toolCallParser: 'qwen25',
  tokenIds: true,
  jsonSchema: true,
  unscripted: 'readable',
  contextLength: 131_072,
  streamInterval: 1,
  incrementalStreaming: false,
  outputIds: 'as_text',
  temperature: 1,
  topP: 1,
  topK: -1,
  returnOriginalLogprob: false,
  seed: 0,
  pauseModes: ['abort', 'retract', 'in_place'],
  loadMs: 0,
  weightVersion: 'default',
  faults: [],
};

export type Role = 'policy' | 'judge';

/** A request as it came in. */
export interface SeenRequest {
  readonly method: string;
  /** Without the query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** The parsed JSON body; an empty object where there is none. */
  readonly body: JsonObject;
  /** Whom a chat or generate request is for. */
  readonly role: Role;
  /** A gateway finds out what this engine can do: no script is spent on it. */
  readonly isProbe: boolean;
  /** The last user or tool message without the client's internal-context carriers; '' where there is none. */
  readonly lastText: string;
  /** `aborted`: the client went away first. `broken`: the double cut the connection, as its script says. */
  readonly state: 'open' | 'answered' | 'aborted' | 'broken';
}

export interface ScriptedToolCall {
  /** @default `call_` and 24 hexadecimal digits */
  id?: string;
  name: string;
  /** An object, or the exact text (which may be wrong JSON). */
  arguments: JsonObject | string;
}

/** What the double does with one chat or generate request. */
export interface ScriptedAnswer {
  /** @default 'policy' */
  to?: Role;
  /** Only for a request whose last real user or tool message contains this. */
  when?: string;
  reasoning?: string;
  content?: string;
  toolCalls?: readonly ScriptedToolCall[];
  /** Said instead of the true finish reason. */
  finishReason?: string;
  /** Ends after so many tokens with finish reason "length". */
  cutOffAfterTokens?: number;
  /** Pause before the first token, and between tokens, in milliseconds. */
  firstDelayMs?: number;
  delayMs?: number;
  /** Waits for this after `holdAfterTokens` tokens (0: before the first), so that a test decides when it goes on. */
  hold?: Promise<unknown>;
  holdAfterTokens?: number;
  /** Never answers: no header, no byte. */
  hang?: boolean;
  /** An HTTP error instead of an answer. `body` replaces the dialect's envelope. */
  status?: number;
  headers?: Readonly<Record<string, string>>;
  message?: string;
  body?: unknown;
  /** Cuts the connection after so many tokens. */
  breakAfterTokens?: number;
  /** An error event in the stream (500 without a stream) after so many tokens. */
  errorAfterTokens?: number;
}

/** A standing rule: looked at after the queue, never used up. */
export type AnswerRule = (request: SeenRequest) => ScriptedAnswer | undefined;
