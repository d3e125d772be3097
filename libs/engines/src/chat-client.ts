import { apiUrl, engineUrl } from './endpoints';
import { readCompletion, type ChatReply } from './chat-completion';
import { EngineStatusError } from './engine-errors';
import { EngineHttp } from './engine-http';
import { parseRetryAfterMs } from './retry';
import { lookAtEngine, type EngineReport } from './rotation/look-at-engine';

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
  private readonly http: EngineHttp;
  private readonly dialect: Dialect = { limitField: 'max_tokens', takesTemperature: true };

  constructor(private readonly options: ChatClientOptions) {
    this.url = chatCompletionsUrl(options.baseUrl);
    this.http = new EngineHttp(options);
  }

  get model(): string {
    return this.options.model;
  }

  /** Looks at the server from outside. Never rejects. */
  look(signal: AbortSignal): Promise<EngineReport> {
    return lookAtEngine((path) => this.http.get(`${engineUrl(this.options.baseUrl)}${path}`, signal));
  }

  /**
   * Makes one call. Reasoning models that refuse `max_tokens` or a temperature are asked again without, and remembered.
   *
   * @throws EngineTimeoutError, EngineStatusError, EngineUnreachableError, EngineAnswerError; the signal's reason if aborted
   */
  async ask(question: ChatQuestion): Promise<ChatReply> {
    for (;;) {
      const body = this.body(question);
      const response = await this.http.post(this.url, body, question.signal);
      if (response.status === 200) return readCompletion(response.text);
      if (response.status === 400 && this.learn(response.text, body)) continue;
      throw new EngineStatusError(response.status, parseRetryAfterMs(response.headers['retry-after'], Date.now()));
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
