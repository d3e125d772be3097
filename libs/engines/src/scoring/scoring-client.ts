import { apiUrl, engineUrl } from '../endpoints';
import { EngineAnswerError, EngineStatusError } from '../engine-errors';
import { EngineHttp } from '../engine-http';
import { parseRetryAfterMs } from '../retry';
import { lookAtEngine, type EngineReport } from '../rotation/look-at-engine';
import type { EngineResponse } from '../whole-answer';
import { readSglangScores, sglangScoreBody } from './sglang-scores';
import { readVllmScores, vllmScoreBody } from './vllm-scores';
import type { ScoreRequest, Scores } from './scores';

export interface ScoringClientOptions {
  /** Base URL, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
  /** Limit of one call from the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
}

/** A chat as its engine renders it into a prompt, ready for the assistant's answer. */
export interface ChatToRender {
  readonly messages: readonly unknown[];
  readonly tools?: readonly unknown[] | undefined;
}

/** Which server it is: both score given tokens, by other routes. */
export type ScoringEngine = 'sglang' | 'vllm';

/** An engine that tokenises and scores given tokens (SGLang, vLLM). Every log-prob is one of temperature 1. */
export class ScoringClient {
  private readonly http: EngineHttp;
  private readonly engineBase: string;
  private engine: ScoringEngine | null = null;

  constructor(private readonly options: ScoringClientOptions) {
    this.http = new EngineHttp(options);
    this.engineBase = engineUrl(options.baseUrl);
  }

  /**
   * Finds out what server this is; null: one that cannot score.
   *
   * @throws EngineTimeoutError, EngineUnreachableError, EngineStatusError while it is not in order
   */
  async detect(signal: AbortSignal): Promise<ScoringEngine | null> {
    if (await this.has('/model_info', signal)) this.engine = 'sglang';
    else if (await this.has('/version', signal)) this.engine = 'vllm';
    return this.engine;
  }

  /** Looks at the server from outside. Never rejects. */
  look(signal: AbortSignal): Promise<EngineReport> {
    return lookAtEngine((path) => this.http.get(`${this.engineBase}${path}`, signal));
  }

  /** Ids of a text alone, without the marks of a prompt. @throws EngineError */
  tokenizeText(text: string, signal: AbortSignal): Promise<Int32Array> {
    return this.tokenize({ prompt: text, add_special_tokens: false }, signal);
  }

  /** Ids of a chat, rendered by the engine's own template. @throws EngineError */
  tokenizeChat({ messages, tools }: ChatToRender, signal: AbortSignal): Promise<Int32Array> {
    return this.tokenize({ messages, ...(tools === undefined ? {} : { tools }), add_generation_prompt: true }, signal);
  }

  /** @throws EngineError, IncompleteScoresError; the signal's reason if aborted */
  async score(request: ScoreRequest, signal: AbortSignal): Promise<Scores> {
    const { model, baseUrl } = this.options;
    if (this.engine === 'vllm') {
      const answer = await this.post(`${apiUrl(baseUrl)}/completions`, vllmScoreBody(request, model), signal);
      return readVllmScores(answer, request);
    }
    const answer = await this.post(`${this.engineBase}/generate`, sglangScoreBody(request), signal);
    return readSglangScores(answer, request);
  }

  private async has(path: string, signal: AbortSignal): Promise<boolean> {
    const { status, text } = await this.http.get(`${this.engineBase}${path}`, signal);
    // A server that is not in order may still turn out to be the right one.
    if (status >= 500 || status === 401 || status === 403 || status === 429) throw new EngineStatusError(status);
    return status === 200 && text.trimStart().startsWith('{');
  }

  private async tokenize(body: Record<string, unknown>, signal: AbortSignal): Promise<Int32Array> {
    const path = this.engine === 'vllm' ? '/tokenize' : '/v1/tokenize';
    const answer = await this.post(`${this.engineBase}${path}`, { model: this.options.model, ...body }, signal);
    const tokens = (answer as { readonly tokens?: unknown } | null)?.tokens;
    if (!Array.isArray(tokens) || !tokens.every((id) => Number.isSafeInteger(id) && (id as number) >= 0)) {
      throw new EngineAnswerError(`${path} answered without token ids; is the base URL right?`);
    }
    return Int32Array.from(tokens as number[]);
  }

  private async post(url: string, body: unknown, signal: AbortSignal): Promise<unknown> {
    return parseAnswer(await this.http.post(url, JSON.stringify(body), signal));
  }
}

const parseAnswer = ({ status, headers, text }: EngineResponse): unknown => {
  if (status !== 200) throw new EngineStatusError(status, parseRetryAfterMs(headers['retry-after'], Date.now()));
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // Without the cause: a parser's message quotes what it was given.
    throw new EngineAnswerError('the engine answered with something that is not JSON; is the base URL right?');
  }
};
