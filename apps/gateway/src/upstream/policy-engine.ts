import { Logger } from '@nestjs/common';
import type { Settings } from '@app/config';
import type { CaptureRoute } from '@app/contracts';
import { UpstreamClient, type EngineParsers, type EngineReport, type RouteChoice } from '@app/engines';
import { EnginePrompts, saysSampling } from '../generate/engine-prompts';
import type { PromptMaker } from '../generate/prompt-maker';
import { EngineProbe } from './engine-probe';

const ASK_AGAIN_EVERY_MS = 60_000;
const REACHABLE_FOR_MS = 1000;
const PING_TIMEOUT_MS = 5000;
const REFUSAL_HOLDS_MS = 1_800_000;
const MOST_REFUSALS = 3;
const OUR_FIELDS = /logprobs|return_(in|out)put_ids_in_sglext|return_token_ids/i;

export interface PolicyEngineOptions {
  readonly url: string;
  /** What renders prompts here; null without the model's folder. */
  readonly folder: PromptMaker | null;
  readonly onChoice: (engine: PolicyEngine, choice: RouteChoice) => void;
}

/** One engine of the policy: its client, and what is known of how it answers. */
export class PolicyEngine {
  /** As operators know it. */
  readonly name: string;
  readonly client: UpstreamClient;
  /** What renders prompts for its `/generate`; null without the model's folder and its sampling. */
  readonly prompts: PromptMaker | null;
  private readonly probe: EngineProbe;
  private askedAgainAt = 0;
  private wasAway = false;
  private refusedUntil = 0;
  private refusals = 0;
  private reachable: { at: number; value: Promise<boolean> } | null = null;
  private readonly logger = new Logger('upstream');

  constructor({ server, gateway }: Settings, { url, folder, onChoice }: PolicyEngineOptions) {
    this.name = new URL(url).host;
    const { connectTimeoutS, firstByteTimeoutS } = gateway;
    this.client = new UpstreamClient({ baseUrl: url, apiKey: server.apiKey, connectTimeoutS, firstByteTimeoutS });
    this.prompts = folder ?? (saysSampling(server) ? new EnginePrompts(this.client, server.policyModel) : null);
    const target = {
      client: this.client,
      model: server.policyModel,
      renderer: this.prompts?.renderer ?? null,
      ping: () => this.ping(),
    };
    this.probe = new EngineProbe(target, (choice) => {
      onChoice(this, choice);
    });
  }

  /** How turns are captured from it now. */
  get route(): CaptureRoute {
    return this.probe.route;
  }

  /** Why not in a better way; null until it could be asked. */
  get routeReason(): string | null {
    return this.probe.choice?.why ?? null;
  }

  /** How it reads what the model writes. */
  get parsers(): EngineParsers {
    return this.probe.parsers;
  }

  /** Whether log-probs come after the sampling temperature; null until it has been asked, or cannot say. */
  get logProbsTempered(): boolean | null {
    return this.probe.logProbsTempered;
  }

  /** Finds out how turns are captured from it, now or as soon as it answers. Resolves after the first attempt. */
  learn(): Promise<void> {
    return this.probe.learn();
  }

  /** An answer came without the ids that were asked for: another engine may stand there now. */
  noteWithoutIds(): void {
    if (Date.now() - this.askedAgainAt < ASK_AGAIN_EVERY_MS) return;
    this.askedAgainAt = Date.now();
    void this.probe.learn();
  }

  /** A look at it has passed, or not: one that was away may have come back as another. */
  noteLook(passed: boolean): void {
    if (passed && this.wasAway) void this.probe.learn();
    this.wasAway = !passed;
  }

  /** Whether it has refused our extra fields a short while ago. */
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
    this.logger.warn(
      `the policy server ${this.name} refuses log-probs and token ids: turns are served, judged, and not trained on`,
    );
  }

  /** Whether it answers at all; asked at most once a second. */
  isReachable(): Promise<boolean> {
    if (this.reachable === null || Date.now() - this.reachable.at > REACHABLE_FOR_MS) {
      this.reachable = { at: Date.now(), value: this.ping() };
      void this.reachable.value.then((reachable) => {
        if (!reachable) void this.probe.learn();
      });
    }
    return this.reachable.value;
  }

  /** Looks at it from outside. Never rejects. */
  look(signal: AbortSignal): Promise<EngineReport> {
    return this.client.look(signal);
  }

  async close(): Promise<void> {
    this.probe.stop();
    await this.client.close();
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
