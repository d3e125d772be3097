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
}

/** URL of a server's chat completions. */
export const chatCompletionsUrl = (baseUrl: string): string => `${apiUrl(baseUrl)}/chat/completions`;

/** Which form of a request the model takes; found out by its refusals. */
interface Dialect {
  readonly limitField: 'max_tokens' | 'max_completion_tokens';
  readonly takesTemperature: boolean;
}

/** A question in the model's dialect. */
interface Printed {
  readonly dialect: Dialect;
  readonly json: Buffer;
}

/** Asks a model over the chat API of any OpenAI-compatible server, without streaming. */
export class ChatClient {
  private readonly url: string;
  private readonly http: EngineHttp;
  private dialect: Dialect = { limitField: 'max_tokens', takesTemperature: true };
  /** Whoever asks the same several times has it printed once. */
  private readonly printed = new WeakMap<ChatQuestion, Printed>();

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
  async ask(question: ChatQuestion, signal: AbortSignal): Promise<ChatReply> {
    for (;;) {
      const { dialect, json } = this.print(question);
      const response = await this.http.post(this.url, json, signal);
      if (response.status === 200) return readCompletion(response.text);
      if (response.status === 400 && this.learn(response.text, dialect)) continue;
      throw new EngineStatusError(response.status, parseRetryAfterMs(response.headers['retry-after'], Date.now()));
    }
  }

  private print(question: ChatQuestion): Printed {
    const { dialect } = this;
    const known = this.printed.get(question);
    if (known?.dialect === dialect) return known;
    const printed = { dialect, json: Buffer.from(JSON.stringify(this.body(question, dialect))) };
    this.printed.set(question, printed);
    return printed;
  }

  private body(question: ChatQuestion, { limitField, takesTemperature }: Dialect): Record<string, unknown> {
    return {
      model: this.options.model,
      messages: question.messages,
      [limitField]: question.maxTokens,
      ...(takesTemperature ? { temperature: question.temperature } : {}),
      ...(question.responseFormat === undefined ? {} : { response_format: question.responseFormat }),
      stream: false,
    };
  }

  /** Reads the refusal of a request in a dialect; true if it would be another one now. */
  private learn(refusal: string, { limitField, takesTemperature }: Dialect): boolean {
    const parameter = refusedParameter(refusal);
    if (parameter === 'max_tokens' && limitField === parameter) {
      this.dialect = { ...this.dialect, limitField: 'max_completion_tokens' };
      return true;
    }
    if (parameter !== 'temperature' || !takesTemperature) return false;
    this.dialect = { ...this.dialect, takesTemperature: false };
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
