import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { CAPTURE_ROUTES, type CaptureRoute, type Sampling } from '@app/contracts';
import { UpstreamClient, type EngineParsers, type RouteChoice } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { EnginePrompts, saysSampling } from '../generate/engine-prompts';
import { FolderPrompts } from '../generate/folder-prompts';
import type { PromptMaker } from '../generate/prompt-maker';
import { EngineProbe } from './engine-probe';

/** How long the start waits for the engine to say what it can do, so that the first turns are captured as well. */
const WAIT_FOR_PROBE_MS = 3000;
const ASK_AGAIN_EVERY_MS = 60_000;
const REACHABLE_FOR_MS = 1000;
const PING_TIMEOUT_MS = 5000;
const REFUSAL_HOLDS_MS = 1_800_000;
const MOST_REFUSALS = 3;
/** The code of an answer that failed because nobody was there: what comes back may be another engine. */
const UNREACHABLE = 'upstream_unreachable';
const TELL_FAILURES_EVERY_MS = 10_000;
const OUR_FIELDS = /logprobs|return_(in|out)put_ids_in_sglext|return_token_ids/i;

/** Thrown when the gateway is started without a policy to serve. */
export class NoPolicyError extends Error {
  override readonly name = 'NoPolicyError';
}

/** The policy engine: its client, and what is known of how it answers. */
@Injectable()
export class UpstreamService implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly client: UpstreamClient;
  /** What renders prompts for `/generate`; null without the model's folder and its sampling. */
  readonly prompts: PromptMaker | null;
  private readonly probe: EngineProbe;
  private askedAgainAt = 0;
  private refusedUntil = 0;
  private refusals = 0;
  private failureToldAt = 0;
  private readonly host: string;
  private reachable: { at: number; value: Promise<boolean> } | null = null;
  private readonly logger = new Logger('upstream');

  /** @throws NoPolicyError if no base URL is configured, ModelFolderError */
  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {
    const { baseUrl, apiKey, policyModel, tokenizer } = settings.server;
    if (baseUrl === null) {
      throw new NoPolicyError(
        'server.base_url (OPENCLAW_RL_SERVER_BASE_URL) is not set: name the base URL of an OpenAI-compatible server',
      );
    }
    this.host = new URL(baseUrl).host;
    const { connectTimeoutS, firstByteTimeoutS } = settings.gateway;
    this.client = new UpstreamClient({ baseUrl, apiKey, connectTimeoutS, firstByteTimeoutS });
    const byEngine = saysSampling(settings.server) ? new EnginePrompts(this.client, policyModel) : null;
    this.prompts = tokenizer === null ? byEngine : new FolderPrompts(tokenizer);
    const renderer = this.prompts?.renderer ?? null;
    const target = { client: this.client, model: policyModel, renderer, ping: () => this.ping() };
    this.probe = new EngineProbe(target, (choice) => {
      this.tellChoice(choice);
    });
  }

  /** How turns are captured now. */
  get route(): CaptureRoute {
    return this.probe.route;
  }

  /** Why not in a better way; null until the engine could be asked. */
  get routeReason(): string | null {
    return this.probe.choice?.why ?? null;
  }

  /** How the engine reads what the model writes. */
  get parsers(): EngineParsers {
    return this.probe.parsers;
  }

  /** Sampling where a request names none; null where only the engine knows. */
  get samplingDefaults(): Sampling {
    const { server } = this.settings;
    return this.prompts !== null && this.route === 'generate' ? this.prompts.defaults(server) : server;
  }

  /** Whether log-probs come after the sampling temperature; null until the engine has been asked, or cannot say. */
  get logProbsTempered(): boolean | null {
    return this.probe.logProbsTempered;
  }

  /** An answer came without the ids that were asked for: another engine may stand there now. */
  noteWithoutIds(): void {
    if (Date.now() - this.askedAgainAt < ASK_AGAIN_EVERY_MS) return;
    this.askedAgainAt = Date.now();
    void this.probe.learn();
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
    if (code === UNREACHABLE) void this.probe.learn();
    const now = Date.now();
    if (now - this.failureToldAt < TELL_FAILURES_EVERY_MS) return;
    this.failureToldAt = now;
    this.logger.warn(`an answer of the policy at ${this.host} failed: ${code}`);
  }

  async onApplicationBootstrap(): Promise<void> {
    const patience = new AbortController();
    await Promise.race([
      this.probe.learn(),
      setTimeout(WAIT_FOR_PROBE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    this.probe.stop();
    await this.prompts?.close();
    await this.client.close();
  }

  /** Whether the upstream answers at all; asked at most once a second. */
  isReachable(): Promise<boolean> {
    if (this.reachable === null || Date.now() - this.reachable.at > REACHABLE_FOR_MS) {
      this.reachable = { at: Date.now(), value: this.ping() };
      void this.reachable.value.then((reachable) => {
        if (!reachable) void this.probe.learn();
      });
    }
    return this.reachable.value;
  }

  private tellChoice({ route, why }: RouteChoice): void {
    for (const each of CAPTURE_ROUTES) this.telemetry.metrics.captureRoute.set({ route: each }, each === route ? 1 : 0);
    const because = why === '' ? '' : ` (${why})`;
    if (route === 'text') this.logger.warn(`turns are served, judged, and not trained on${because}`);
    else this.logger.log(`token ids are captured by ${route}${because}`);
  }

  /** Any answer but a server error will do: some servers have no list of models. */
  private async ping(): Promise<boolean> {
    try {
      const response = await this.client.request('GET', '/models', { signal: AbortSignal.timeout(PING_TIMEOUT_MS) });
      await response.body.dump();
      return response.status < 500;
    } catch {
      return false;
    }
  }
}
