import { Injectable, Logger, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { expiredUpdateOf, finishUpdate, recoverUpdate, type EndedUpdate, type PolicyState } from '@app/pools';
import { Policy } from '../policy/policy';
import { PolicyWeights } from './policy-weights';
import { UpdateReporter } from './update-reporter';

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
  private timer: NodeJS.Timeout | null = null;
  /** What the timer waits for, by the server's clock. */
  private plannedAt: number | null = null;
  private work: Promise<void> | null = null;
  private stopped = false;
  /** Not again before this time, after a failure. */
  private notBefore = 0;

  constructor(
    private readonly policy: Policy,
    private readonly weights: PolicyWeights,
    private readonly reporter: UpdateReporter,
  ) {}

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

  /** Ends what nobody has ended: an update whose lease is over, engines that still stand. @throws BusUnavailableError */
  async settle(): Promise<void> {
    const state = await this.policy.store.read();
    const expired = expiredUpdateOf(state, this.policy.store.now());
    if (expired !== null) {
      const newVersion = state.gate.state === 'updating' ? await this.weights.newVersion(state) : null;
      const ended = await this.policy.changeBySamples((current, seen) =>
        recoverUpdate(current, { token: expired.token, newVersion }, seen),
      );
      if (ended !== null) this.reporter.note(ended);
    }
    const { unfinished } = await this.policy.store.read();
    if (unfinished !== undefined) await this.finish(unfinished.token);
  }

  /** After an update has ended, by this call if `ended` says how: takes that down and does what is left. @throws BusUnavailableError */
  async conclude(token: string, ended: EndedUpdate | null): Promise<void> {
    if (ended !== null) this.reporter.note(ended);
    await this.finish(token);
  }

  /** After an update has ended: lets the engines go on and tells of new weights. @throws BusUnavailableError */
  private async finish(token: string): Promise<void> {
    const state = await this.policy.store.read();
    if (state.unfinished?.token !== token) return;
    for (let tried = 0; tried < RESUME_TRIES; tried += 1) if (await (await this.weights.engines()).resume()) break;
    const ended = state.history?.findLast((each) => each.token === token);
    if (ended !== undefined) await this.reporter.tell(ended, state.unfinished.metrics);
    await this.policy.store.change((current) => ({ state: finishUpdate(current, token), result: undefined }));
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
