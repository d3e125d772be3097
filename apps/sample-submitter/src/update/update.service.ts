import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { EngineError } from '@app/engines';
import {
  abortUpdate,
  beginUpdate,
  commitUpdate,
  extendUpdate,
  isDrained,
  nameWeights,
  requirePools,
  sharesPolicyGpus,
  startUpdating,
  type BegunUpdate,
  type EndedUpdate,
  type PauseMode,
  type UpdateRequest,
} from '@app/pools';
import { SampleIndex } from '../follow/sample-index';
import { Policy } from '../policy/policy';
import { agreedVersion, type PolicyEngines } from './policy-engines';
import { EnginesFailedError, NoWeightsNamedError, WrongWeightsError } from './update-errors';
import { UpdateKeeper } from './update-keeper';

const MS = 1000;
const LOOK_EVERY_MS = 20;
/** The door extends a lease while it works for its trainer: so many times in the lease's time. */
const EXTENDS_PER_LEASE = 3;

/** What a trainer says with its commit: weights that the engines have, or ones to load. */
export interface NamedWeights {
  readonly engineVersion: string | null;
  readonly weightsPath: string | null;
  readonly metrics: Readonly<Record<string, number>>;
}

/** Weight updates, for any number of trainers and replicas: all that lasts is in the policy state and in the engines. */
@Injectable()
export class UpdateService {
  /** The update begins before the training: its samples may have become too old meanwhile. */
  private readonly maxStalenessAtBegin: number | null;

  constructor(
    private readonly settings: Settings,
    private readonly policy: Policy,
    private readonly keeper: UpdateKeeper,
    private readonly context: { readonly bus: Bus; readonly index: SampleIndex },
  ) {
    this.maxStalenessAtBegin = sharesPolicyGpus(requirePools(settings)) ? settings.rl.maxStaleness : null;
  }

  /** Closes the gate and stops the engines; resolves once weights may be changed. @throws LeaseError, BusUnavailableError */
  async begin(request: Omit<UpdateRequest, 'secret'>): Promise<BegunUpdate> {
    await this.keeper.settle();
    await this.context.index.refresh();
    const begun = await this.policy.store.change((state, now) =>
      beginUpdate(
        state,
        { ...request, secret: randomUUID() },
        { now, view: this.context.index.view, maxStaleness: this.maxStalenessAtBegin },
      ),
    );
    if (begun.state === 'updating') return begun;
    try {
      const stood = await this.stopEngines(begun);
      return await this.policy.store.change((state, now) =>
        startUpdating(state, { ...stood, token: begun.token }, now),
      );
    } catch (error) {
      const failure = inDoorsWords(error);
      if (failure instanceof EnginesFailedError) await this.abort(begun.token, failure.message);
      throw failure;
    }
  }

  /** @throws LeaseError, BusUnavailableError */
  extend(token: string, leaseMs: number): Promise<BegunUpdate> {
    return this.policy.store.change((state, now) => extendUpdate(state, { token, leaseMs }, now));
  }

  /** Puts the new weights in, if they have to be, and opens the gate with them. @throws LeaseError, BusUnavailableError */
  async commit(token: string, weights: NamedWeights): Promise<EndedUpdate> {
    if ((weights.engineVersion === null) === (weights.weightsPath === null)) throw new NoWeightsNamedError();
    const { index } = this.context;
    await index.refresh();
    const state = await this.policy.store.read();
    const update = state.gate.update?.token === token ? state.gate.update : null;
    // An update that has ended, or is somebody else's, gets its answer without a look at the engines.
    const { weightsPath } = weights;
    if (update?.pause !== undefined && weightsPath !== null) {
      await this.policy.store.change((current, now) => nameWeights(current, { token, weightsPath }, now));
    }
    const engineVersion =
      update?.pause === undefined
        ? null
        : await this.whileExtending({ token, leaseMs: update.leaseMs }, () =>
            this.putIn(weights, { pause: update.pause, name: `${state.version + 1}-${token.split('-')[0]}` }),
          );
    const ended = await this.policy.store.change((current, now) =>
      commitUpdate(current, { token, engineVersion, metrics: weights.metrics }, { now, view: index.view }),
    );
    if (update !== null) this.keeper.note(ended);
    await this.keeper.finish(token);
    return ended;
  }

  /** Opens the gate with the weights that the engines have. @throws LeaseError, BusUnavailableError */
  async abort(token: string, reason: string): Promise<EndedUpdate> {
    const { index } = this.context;
    await index.refresh();
    const state = await this.policy.store.read();
    const isMine = state.gate.update?.token === token;
    const newVersion = isMine && state.gate.state === 'updating' ? await this.keeper.newVersion(state) : null;
    const ended = await this.policy.store.change((current, now) =>
      abortUpdate(current, { token, newVersion, reason }, { now, view: index.view }),
    );
    if (isMine) this.keeper.note(ended);
    await this.keeper.finish(token);
    return ended;
  }

  private async stopEngines(begun: BegunUpdate): Promise<{ pause: PauseMode; engineVersion: string | null }> {
    const engines = await this.keeper.engines();
    engines.requireAccess();
    if (engines.reachable === 0) throw new EnginesFailedError('no engine of the policy can be reached: start one');
    const stood = await this.stand(engines, begun);
    return { pause: stood, engineVersion: agreedVersion(await engines.readVersions()) };
  }

  private async stand(engines: PolicyEngines, begun: BegunUpdate): Promise<PauseMode> {
    const { pause: mode } = this.settings.gate;
    if (mode !== 'drain' && (await engines.stand(mode))) return mode;
    const end = Date.now() + this.settings.gate.drainTimeoutS * MS;
    const isLate = (): boolean => Date.now() >= end || this.policy.store.now() >= begun.expiresAt;
    while (!(await isDrained(this.context.bus, begun.token)) && !isLate()) await pause(LOOK_EVERY_MS);
    await engines.stop();
    return 'drained';
  }

  /** The name of the new weights once an engine serves them. @throws LeaseError */
  private async putIn(
    { engineVersion, weightsPath }: NamedWeights,
    { pause: stands, name }: { pause: PauseMode | undefined; name: string },
  ): Promise<string> {
    const engines = await this.keeper.engines();
    engines.requireAccess();
    const expected = engineVersion ?? name;
    const failures =
      weightsPath === null
        ? []
        : await engines.load({
            path: weightsPath,
            version: name,
            keepsAnswers: stands === 'in_place',
            timeoutMs: this.settings.gate.loadTimeoutS * MS,
          });
    const [failure] = failures;
    if (failure !== undefined && failures.length === engines.reachable) throw new EnginesFailedError(failure.message);
    const served = (await engines.readVersions()).filter(({ reachable }) => reachable);
    if (served.length === 0) throw new EnginesFailedError('no engine of the policy can be reached: start one');
    const isServed = served.some(({ version }) => version === expected || version === null);
    if (!isServed)
      throw new WrongWeightsError(
        expected,
        served.map(({ version }) => version),
      );
    return expected;
  }

  /** The trainer waits for the door: its lease lasts as long as the work does. @throws LeaseError once it has ended */
  private async whileExtending<Result>(
    { token, leaseMs }: { readonly token: string; readonly leaseMs: number },
    work: () => Promise<Result>,
  ): Promise<Result> {
    await this.extend(token, leaseMs);
    const timer = setInterval(
      () => {
        // Its end is found out when the work is done.
        this.extend(token, leaseMs).catch(() => undefined);
      },
      Math.max(LOOK_EVERY_MS, leaseMs / EXTENDS_PER_LEASE),
    );
    try {
      return await work();
    } catch (error) {
      throw inDoorsWords(error);
    } finally {
      clearInterval(timer);
    }
  }
}

/** A failure of the engines as trainers get it; anything else as it is. */
const inDoorsWords = (error: unknown): unknown =>
  error instanceof EngineError ? new EnginesFailedError(error.message, { cause: error }) : error;
