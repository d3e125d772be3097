import type { Settings } from '@app/config';
import { apiUrl, PROBE_NAME, UpstreamClient } from '@app/engines';
import { planPools } from '@app/pools';
import { ask, type Answer } from './network/http';

const TOKENS = 16;

/** The policy's engines as the doctor sees them: each question is put once, whichever check asks first. */
export class PolicyVisit {
  readonly urls: readonly string[];
  private readonly answers = new Map<string, Promise<Answer>>();
  private readonly clients = new Map<string, UpstreamClient>();

  constructor(private readonly settings: Settings) {
    const { pools, policyUrls } = planPools(settings);
    this.urls = [...new Set([...policyUrls, ...pools.policy.engines])];
  }

  /** The list of models. @throws NoAnswerError */
  models(url: string): Promise<Answer> {
    return this.once(`models ${url}`, () => ask(`${apiUrl(url)}/models`, { key: this.settings.server.apiKey }));
  }

  /** A short chat in one piece. @throws NoAnswerError */
  chat(url: string): Promise<Answer> {
    return this.once(`chat ${url}`, () => this.askChat(url, {}));
  }

  /** The same as a stream. @throws NoAnswerError */
  stream(url: string): Promise<Answer> {
    return this.once(`stream ${url}`, () =>
      this.askChat(url, { stream: true, stream_options: { include_usage: true } }),
    );
  }

  /** A client of the serving path, as the gateway has one. */
  client(url: string): UpstreamClient {
    const { server, gateway } = this.settings;
    const { connectTimeoutS, firstByteTimeoutS } = gateway;
    const known = this.clients.get(url);
    const client =
      known ?? new UpstreamClient({ baseUrl: url, apiKey: server.apiKey, connectTimeoutS, firstByteTimeoutS });
    this.clients.set(url, client);
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }

  private once(question: string, put: () => Promise<Answer>): Promise<Answer> {
    const answer = this.answers.get(question) ?? put();
    this.answers.set(question, answer);
    return answer;
  }

  /** Hosted reasoning models know the limit by its newer name alone. */
  private async askChat(url: string, fields: Readonly<Record<string, unknown>>): Promise<Answer> {
    const put = (limit: string): Promise<Answer> =>
      ask(`${apiUrl(url)}/chat/completions`, {
        method: 'POST',
        key: this.settings.server.apiKey,
        timeoutMs: this.settings.gateway.firstByteTimeoutS * 1000,
        body: {
          model: this.settings.server.policyModel,
          messages: [{ role: 'user', content: 'Say yes.' }],
          [limit]: TOKENS,
          user: PROBE_NAME,
          ...fields,
        },
      });
    const answer = await put('max_tokens');
    return answer.status === 400 && answer.text.includes('max_completion_tokens')
      ? put('max_completion_tokens')
      : answer;
  }
}
