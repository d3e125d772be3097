import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { PolicyUpdated } from '@app/contracts';
import {
  expiredUpdateOf,
  finishUpdate,
  recoverUpdate,
  requirePools,
  type EndedUpdate,
  type PolicyState,
} from '@app/pools';
import { Telemetry } from '@app/telemetry';
import { SampleIndex } from '../follow/sample-index';
import { Policy } from '../policy/policy';
import { agreedVersion, PolicyEngines } from './policy-engines';

const MS = 1000;
/** After a failure, and before another replica's work is taken over, in milliseconds. */
const AGAIN_MS = 1000;
const LATE_MS = 20;
/** How often engines are told to go on that do not answer. */
const RESUME_TRIES = 5;

/**
 * Brings every update to its end, whoever began it and whoever died: the gate opens, the engines go on, the version is told.
 * Each step may be done twice, by any replica.
 */
@Injectable()
export class UpdateKeeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger('update');
  private readonly urls: readonly string[];
  private timer: NodeJS.Timeout | null = null;
  /** What the timer waits for, by the server's clock. */
  private plannedAt: number | null = null;
  private work: Promise<void> | null = null;
  private stopped = false;
  /** Not again before this time, after a failure. */
  private notBefore = 0;

  constructor(
    private readonly settings: Settings,
    private readonly bus: Bus,
    private readonly policy: Policy,
    private readonly context: { readonly index: SampleIndex; readonly telemetry: Telemetry },
  ) {
    this.urls = requirePools(settings).pools.policy.engines;
  }

  onApplicationBootstrap(): void {
    this.policy.onChange((state) => {
      this.plan(state);
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
    await this.work;
  }

  /** The policy's engines as they are now. */
  engines(): Promise<PolicyEngines> {
    return PolicyEngines.open(this.urls, this.settings.server.apiKey);
  }

  /** The name of weights that are in all engines and not the version's own; null if the old ones serve. */
  async newVersion(state: PolicyState): Promise<string | null> {
    const agreed = agreedVersion(await (await this.engines()).readVersions());
    return agreed === state.engineVersion ? null : agreed;
  }

  /** Ends what nobody has ended: an update whose lease is over, engines that still stand. @throws BusUnavailableError */
  async settle(): Promise<void> {
    const state = await this.policy.store.read();
    const expired = expiredUpdateOf(state, this.policy.store.now());
    if (expired !== null) {
      const newVersion = state.gate.state === 'updating' ? await this.newVersion(state) : null;
      await this.context.index.refresh();
      const ended = await this.policy.store.change((current, now) =>
        recoverUpdate(current, { token: expired.token, newVersion }, { now, view: this.context.index.view }),
      );
      if (ended !== null) this.note(ended);
    }
    const { unfinished } = await this.policy.store.read();
    if (unfinished !== undefined) await this.finish(unfinished.token);
  }

  /** After an update has ended: lets the engines go on and tells of new weights. @throws BusUnavailableError */
  async finish(token: string): Promise<void> {
    const state = await this.policy.store.read();
    if (state.unfinished?.token !== token) return;
    for (let tried = 0; tried < RESUME_TRIES; tried += 1) if (await (await this.engines()).resume()) break;
    const ended = state.history?.findLast((each) => each.token === token);
    if (ended !== undefined) await this.tell(ended, state.unfinished.metrics);
    await this.policy.store.change((current) => ({ state: finishUpdate(current, token), result: undefined }));
  }

  /** Takes down how an update ended. */
  note(ended: EndedUpdate): void {
    const { policyUpdates, gateClosedSeconds } = this.context.telemetry.metrics;
    policyUpdates.inc({ outcome: ended.outcome });
    gateClosedSeconds.observe((ended.endedAt - ended.startedAt) / MS);
    const why = ended.reason === undefined ? '' : ` (${ended.reason})`;
    this.logger.log(
      `update of trainer ${ended.trainer} ${ended.outcome}${why}: the policy is version ${ended.version}`,
    );
  }

  private async tell(ended: EndedUpdate, metrics: Readonly<Record<string, number>>): Promise<void> {
    const { outcome, version, trainer, engineVersion, startedAt, endedAt, samples } = ended;
    if (outcome !== 'committed' && outcome !== 'recovered') return;
    await this.bus.publish(PolicyUpdated, [String(version)], {
      info: {
        ...{ version, outcome, trainer, startedAt, endedAt, samples },
        ...(engineVersion === undefined ? {} : { engineVersion }),
      },
      head: { metrics: { ...metrics } },
    });
  }

  /** Wakes when there may be something to end. */
  private plan({ gate, unfinished }: PolicyState): void {
    if (unfinished !== undefined) this.wakeAt(unfinished.endedAt + AGAIN_MS);
    else this.wakeAt(gate.update === undefined ? null : (gate.until ?? null));
  }

  /** At a time of the server's clock. */
  private wakeAt(time: number | null): void {
    // The state changes with every lease: a wake that stands is left alone, or it would be put off again and again.
    if (this.timer !== null && time === this.plannedAt) return;
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
    this.plannedAt = time;
    if (time === null || this.stopped || this.work !== null) return;
    // The clocks may differ by a little: a moment too late is better than in vain.
    const millis = time + LATE_MS - this.policy.store.now();
    const delay = Math.max(LATE_MS, millis, this.notBefore - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.wake();
    }, delay);
  }

  private wake(): void {
    this.work = this.settle()
      .catch((error: unknown) => {
        this.notBefore = performance.now() + AGAIN_MS;
        const reason = error instanceof Error ? error.message : 'unknown error';
        this.logger.warn(`an update could not be ended yet: ${reason}`);
      })
      .finally(() => {
        this.work = null;
        this.plan(this.policy.current);
      });
  }
}
