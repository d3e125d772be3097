import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { probeTempering, UpstreamClient } from '@app/engines';

const PROBE_EVERY_MS = 2000;
const REACHABLE_FOR_MS = 1000;
const PROBE_TIMEOUT_MS = 5000;
const REFUSAL_HOLDS_MS = 1_800_000;
const MOST_REFUSALS = 3;
const TELL_FAILURES_EVERY_MS = 10_000;
const OUR_FIELDS = /logprobs|return_(in|out)put_ids_in_sglext/i;

/** Thrown when the gateway is started without a policy to serve. */
export class NoPolicyError extends Error {
  override readonly name = 'NoPolicyError';
}

/** The policy engine: its client, and what is known of how it answers. */
@Injectable()
export class UpstreamService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly client: UpstreamClient;
  /** Whether log-probs come after the sampling temperature; null until the engine has been asked, or cannot say. */
  logProbsTempered: boolean | null = null;
  private refusedUntil = 0;
  private refusals = 0;
  private failureToldAt = 0;
  private readonly host: string;
  private reachable: { at: number; value: Promise<boolean> } | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;
  private readonly logger = new Logger('upstream');

  /** @throws NoPolicyError if no base URL is configured. */
  constructor(settings: Settings) {
    const { baseUrl, apiKey } = settings.server;
    if (baseUrl === null) {
      throw new NoPolicyError(
        'server.base_url (OPENCLAW_RL_SERVER_BASE_URL) is not set: name the base URL of an OpenAI-compatible server',
      );
    }
    this.host = new URL(baseUrl).host;
    const { connectTimeoutS, firstByteTimeoutS } = settings.gateway;
    this.client = new UpstreamClient({ baseUrl, apiKey, connectTimeoutS, firstByteTimeoutS });
  }

  /** Whether the upstream has refused our extra fields a short while ago. */
  get refusesAdditions(): boolean {
    return Date.now() < this.refusedUntil;
  }

  /** It has served with our fields. */
  noteAccepted(): void {
    this.refusals = 0;
  }

  /**
   * It has served without our extra fields what it refused with them. Remembered if it named one of them, else, since an
   * engine may fail once for any reason, when it has happened again and again. Forgotten after a while: servers are updated.
   */
  noteRefused(answer: string): void {
    this.refusals = OUR_FIELDS.test(answer) ? MOST_REFUSALS : this.refusals + 1;
    if (this.refusals < MOST_REFUSALS) return;
    this.refusals = 0;
    this.refusedUntil = Date.now() + REFUSAL_HOLDS_MS;
    this.logger.warn('the policy server refuses log-probs and token ids: turns are served, judged, and not trained on');
  }

  /** Tells the operator that answers fail, and how, at most every ten seconds. */
  noteFailure(code: string): void {
    const now = Date.now();
    if (now - this.failureToldAt < TELL_FAILURES_EVERY_MS) return;
    this.failureToldAt = now;
    this.logger.warn(`an answer of the policy at ${this.host} failed: ${code}`);
  }

  onApplicationBootstrap(): void {
    void this.learn();
  }

  async onApplicationShutdown(): Promise<void> {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.client.close();
  }

  /** Whether the upstream answers at all; asked at most once a second. */
  isReachable(): Promise<boolean> {
    if (this.reachable === null || Date.now() - this.reachable.at > REACHABLE_FOR_MS) {
      this.reachable = { at: Date.now(), value: this.ping() };
    }
    return this.reachable.value;
  }

  /** Asks the engine how it takes log-probs, once it answers. */
  private async learn(): Promise<void> {
    const answers = await this.ping();
    if (this.closed) return;
    if (!answers) {
      this.timer = setTimeout(() => void this.learn(), PROBE_EVERY_MS);
      return;
    }
    this.logProbsTempered = await probeTempering(this.client).catch(() => null);
  }

  /** Any answer but a server error will do: some servers have no list of models. */
  private async ping(): Promise<boolean> {
    try {
      const response = await this.client.request('GET', '/models', { signal: AbortSignal.timeout(PROBE_TIMEOUT_MS) });
      await response.body.dump();
      return response.status < 500;
    } catch {
      return false;
    }
  }
}
