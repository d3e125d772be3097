import axios, { type AxiosResponse } from 'axios';
import { apiUrl } from './endpoints';
import { readCompletion, type ChatReply } from './chat-completion';
import { EngineStatusError, EngineTimeoutError, EngineUnreachableError } from './engine-errors';
import { parseRetryAfterMs } from './retry';

const LONGEST_ANSWER_BYTES = 16 * 1024 * 1024;

export interface ChatClientOptions {
  /** Base URL of an OpenAI-compatible server, with or without `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string | null;
  readonly model: string;
  /** Limit of one call from the connection to the last byte, in milliseconds. */
  readonly timeoutMs: number;
}

export interface ChatQuestion {
  readonly messages: readonly { readonly role: 'system' | 'user'; readonly content: string }[];
  readonly maxTokens: number;
  readonly temperature: number;
  /** Sent as `response_format`. */
  readonly responseFormat?: unknown;
  readonly signal: AbortSignal;
}

/** URL of a server's chat completions. */
export const chatCompletionsUrl = (baseUrl: string): string => `${apiUrl(baseUrl)}/chat/completions`;

/** Which form of a request the model takes; found out by its refusals. */
interface Dialect {
  limitField: 'max_tokens' | 'max_completion_tokens';
  takesTemperature: boolean;
}

/** Asks a model over the chat API of any OpenAI-compatible server, without streaming. */
export class ChatClient {
  private readonly url: string;
  private readonly dialect: Dialect = { limitField: 'max_tokens', takesTemperature: true };

  constructor(private readonly options: ChatClientOptions) {
    this.url = chatCompletionsUrl(options.baseUrl);
  }

  get model(): string {
    return this.options.model;
  }

  /**
   * Makes one call. Reasoning models that refuse `max_tokens` or a temperature are asked again without, and remembered.
   *
   * @throws EngineTimeoutError, EngineStatusError, EngineUnreachableError, EngineAnswerError; the signal's reason if aborted
   */
  async ask(question: ChatQuestion): Promise<ChatReply> {
    for (;;) {
      const body = this.body(question);
      const response = await this.post(body, question.signal);
      if (response.status === 200) return readCompletion(response.data);
      if (response.status === 400 && this.learn(response.data, body)) continue;
      throw new EngineStatusError(response.status, parseRetryAfterMs(response.headers['retry-after'], Date.now()));
    }
  }

  private async post(body: Record<string, unknown>, signal: AbortSignal): Promise<AxiosResponse<string>> {
    const { apiKey, timeoutMs } = this.options;
    const limit = AbortSignal.timeout(timeoutMs);
    try {
      return await axios.post<string>(this.url, body, {
        headers: { accept: 'application/json', ...(apiKey === null ? {} : { authorization: `Bearer ${apiKey}` }) },
        signal: AbortSignal.any([signal, limit]),
        responseType: 'text',
        transformResponse: (text: string) => text,
        validateStatus: () => true,
        maxRedirects: 0,
        maxContentLength: LONGEST_ANSWER_BYTES,
      });
    } catch (error) {
      signal.throwIfAborted();
      if (limit.aborted) throw new EngineTimeoutError(timeoutMs);
      // The client's own error holds the request with its key and its texts: only what lies beneath it goes on.
      const code = axios.isAxiosError(error) ? error.code : undefined;
      const cause = axios.isAxiosError(error) ? error.cause : error;
      throw new EngineUnreachableError(`the engine could not be reached (${code ?? 'no code'})`, { cause });
    }
  }

  private body(question: ChatQuestion): Record<string, unknown> {
    return {
      model: this.options.model,
      messages: question.messages,
      [this.dialect.limitField]: question.maxTokens,
      ...(this.dialect.takesTemperature ? { temperature: question.temperature } : {}),
      ...(question.responseFormat === undefined ? {} : { response_format: question.responseFormat }),
      stream: false,
    };
  }

  /** Reads the refusal of a request; true if it would be another one now. */
  private learn(refusal: string, sent: Record<string, unknown>): boolean {
    const parameter = refusedParameter(refusal);
    if (typeof parameter !== 'string' || !(parameter in sent)) return false;
    if (parameter === 'max_tokens') this.dialect.limitField = 'max_completion_tokens';
    else if (parameter === 'temperature') this.dialect.takesTemperature = false;
    else return false;
    return true;
  }
}

/** `error.param` of OpenAI's envelope. */
const refusedParameter = (text: string): unknown => {
  try {
    return (JSON.parse(text) as { error?: { param?: unknown } } | null)?.error?.param;
  } catch {
    return undefined;
  }
};
