import { setTimeout } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { CAPTURE_ROUTES, type CaptureRoute, type Sampling } from '@app/contracts';
import { Rotation, type EngineReport, type EngineState, type RouteChoice } from '@app/engines';
import { EngineNews } from '@app/patrol';
import { planPools } from '@app/pools';
import { Telemetry, TurnLine } from '@app/telemetry';
import { Gate } from '../gate/gate';
import { FolderPrompts } from '../generate/folder-prompts';
import { PolicyEngine } from './policy-engine';

/** How long the start waits for the engines to say what they can do, so that the first turns are captured as well. */
const WAIT_FOR_PROBE_MS = 3000;
/** The code of an answer that failed because nobody was there: what comes back may be another engine. */
const UNREACHABLE = 'upstream_unreachable';
/** Failures that are the engine's own: no connection, no answer in time, an answer that no server should give. */
const ENGINES_FAULT =
  /^(upstream_(unreachable|connect_timeout|first_byte_timeout|idle_timeout|ended_early|odd_status)|status_5\d\d)$/;
/** SGLang's router sends requests with the same key to the same engine. */
const ROUTING_KEY = 'x-smg-routing-key';
const TELL_FAILURES_EVERY_MS = 10_000;
const MS = 1000;

/** Thrown when the gateway is started without a policy to serve. */
export class NoPolicyError extends Error {
  override readonly name = 'NoPolicyError';
}

type Engines = readonly [PolicyEngine, ...PolicyEngine[]];

/** The policy's engines, and which of them get requests. */
@Injectable()
export class UpstreamService implements OnApplicationBootstrap, OnApplicationShutdown {
  /** What renders prompts here; null without the model's folder. */
  private readonly folder: FolderPrompts | null;
  /** All of them. */
  readonly engines: Engines;
  /** What hands requests out to them; null where that is done here. */
  private readonly router: PolicyEngine | null;
  private readonly rotation: Rotation<PolicyEngine>;
  private onTroubleWith: (engine: PolicyEngine) => void = () => undefined;
  private failureToldAt = 0;
  private readonly logger = new Logger('upstream');

  /** @throws NoPolicyError if no base URL is configured, ModelFolderError */
  constructor(
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
    private readonly gate: Gate,
  ) {
    const { server, pools } = settings;
    const [url, ...others] = planPools(settings).pools.policy.engines;
    if (url === undefined) {
      throw new NoPolicyError(
        'server.base_url (OPENCLAW_RL_SERVER_BASE_URL) is not set: name the base URL of an OpenAI-compatible server',
      );
    }
    this.folder = server.tokenizer === null ? null : new FolderPrompts(server.tokenizer);
    const open = (each: string): PolicyEngine =>
      new PolicyEngine(settings, { url: each, folder: this.folder, onChoice: this.tellChoice.bind(this) });
    this.engines = [open(url), ...others.map(open)];
    this.router = pools.policyRouter && server.baseUrl !== null ? open(server.baseUrl) : null;
    const news = new EngineNews('policy', telemetry);
    const options = { failures: pools.ejectFailures, restMs: pools.ejectS * MS, ejects: this.router === null };
    this.rotation = new Rotation(this.engines, options, (state) => {
      news.tell(state);
    });
    for (const state of this.rotation.states) news.show(state);
  }

  /** Whether it matters which session a request is of. */
  get hasChoice(): boolean {
    return this.router !== null || this.engines.length > 1;
  }

  /** Where a session's requests are sent. */
  choose(session: string): PolicyEngine {
    return this.router ?? this.rotation.choose(session);
  }

  /** Where a session's request is sent that `failed` could not be asked; null: nowhere. */
  chooseBesides(failed: PolicyEngine, session: string): PolicyEngine | null {
    return this.router === null ? this.rotation.chooseBesides(failed, session) : null;
  }

  /** What tells SGLang's router which requests belong together. */
  headersOf(session: string): Record<string, string> {
    return this.router === null ? {} : { [ROUTING_KEY]: session };
  }

  /** Every engine as it is now. */
  get states(): EngineState[] {
    return this.rotation.states;
  }

  /** An engine that gets requests, and whose ways stand for the others'. */
  private get first(): PolicyEngine {
    return this.router ?? this.rotation.engines[0];
  }

  /** How turns are captured now. */
  get route(): CaptureRoute {
    return this.first.route;
  }

  /** Why not in a better way; null until an engine could be asked. */
  get routeReason(): string | null {
    return this.first.routeReason;
  }

  /** Whether extra fields have been refused a short while ago. */
  get refusesAdditions(): boolean {
    return this.first.refusesAdditions;
  }

  /** Sampling where a request names none; null where only the engine knows. */
  samplingDefaults({ route, prompts }: PolicyEngine): Sampling {
    const { server } = this.settings;
    return prompts !== null && route === 'generate' ? prompts.defaults(server) : server;
  }

  /** It has answered. */
  noteAnswer(engine: PolicyEngine): void {
    this.noteCall(engine, true);
  }

  /** Takes down that it gave no answer, and tells the operator how that was, at most every ten seconds. */
  noteFailure(engine: PolicyEngine, turnId: string, code: string): void {
    if (code === UNREACHABLE) {
      void engine.learn();
      this.onTroubleWith(engine);
    }
    // While weights are changed engines may well fail.
    if (ENGINES_FAULT.test(code) && !this.gate.isClosed) this.noteCall(engine, false);
    const now = Date.now();
    if (now - this.failureToldAt < TELL_FAILURES_EVERY_MS) return;
    this.failureToldAt = now;
    this.logger.warn(new TurnLine(turnId, `the answer of the policy at ${engine.name} failed: ${code}`));
  }

  /** Takes down what a look at an engine has shown. */
  noteCheck(engine: PolicyEngine, report: EngineReport): void {
    engine.noteLook(report.passed);
    this.rotation.noteCheck(engine, report, performance.now());
  }

  /** Whether an engine was seen to serve other weights than the policy's; of SGLang's router, whether every engine behind it was. */
  isStale(engine: PolicyEngine): boolean {
    const { rotation, router } = this;
    return engine === router ? this.engines.every((each) => rotation.isStale(each)) : rotation.isStale(engine);
  }

  /** Which weights are right from now on; null: any. false: that was known. */
  expect(weights: string | null): boolean {
    return this.rotation.expect(weights);
  }

  /** Asks for a look at an engine that could not be reached. */
  onTrouble(look: (engine: PolicyEngine) => void): void {
    this.onTroubleWith = look;
  }

  async onApplicationBootstrap(): Promise<void> {
    const patience = new AbortController();
    await Promise.race([
      Promise.all(this.entrances.map((engine) => engine.learn())),
      setTimeout(WAIT_FOR_PROBE_MS, undefined, { signal: patience.signal }).catch(() => undefined),
    ]);
    patience.abort();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.folder?.close();
    await Promise.all([...this.engines, ...this.entrances].map((engine) => engine.close()));
  }

  /** Whether a chat would be answered at all; each engine is asked at most once a second. */
  async isReachable(): Promise<boolean> {
    const reachable = await Promise.all(this.entrances.map((engine) => engine.isReachable()));
    return reachable.includes(true);
  }

  /** Where requests are sent. */
  private get entrances(): Engines {
    return this.router === null ? this.engines : [this.router];
  }

  private noteCall(engine: PolicyEngine, succeeded: boolean): void {
    if (engine !== this.router) this.rotation.noteCall(engine, succeeded, performance.now());
  }

  private tellChoice(engine: PolicyEngine, { route, why }: RouteChoice): void {
    for (const each of CAPTURE_ROUTES) {
      const isTaken = this.entrances.some((known) => known.route === each);
      this.telemetry.metrics.captureRoute.set({ route: each }, isTaken ? 1 : 0);
    }
    const because = why === '' ? '' : ` (${why})`;
    const from = this.entrances.length === 1 ? '' : ` from ${engine.name}`;
    if (route === 'text') this.logger.warn(`turns${from} are served, judged, and not trained on${because}`);
    else this.logger.log(`token ids${from} are captured by ${route}${because}`);
  }
}
