import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Settings } from '@app/config';
import { EngineError } from '@app/engines';
import {
  abortUpdate,
  beginUpdate,
  commitUpdate,
  extendUpdate,
  nameWeights,
  requirePools,
  sharesPolicyGpus,
  startUpdating,
  type BegunUpdate,
  type EndedUpdate,
  type UpdateRequest,
} from '@app/pools';
import { Policy } from '../policy/policy';
import { PolicyWeights, type NamedWeights } from './policy-weights';
import { EnginesFailedError, NoWeightsNamedError } from './update-errors';
import { UpdateKeeper } from './update-keeper';

const LEAST_BETWEEN_EXTENDS_MS = 20;
/** The door extends a lease while it works for its trainer: so many times in the lease's time. */
const EXTENDS_PER_LEASE = 3;

/** Weight updates, for any number of trainers and replicas: all that lasts is in the policy state and in the engines. */
@Injectable()
export class UpdateService {
  /** The update begins before the training: its samples may have become too old meanwhile. */
  private readonly maxStalenessAtBegin: number | null;

  constructor(
    settings: Settings,
    private readonly policy: Policy,
    private readonly weights: PolicyWeights,
    private readonly keeper: UpdateKeeper,
  ) {
    this.maxStalenessAtBegin = sharesPolicyGpus(requirePools(settings)) ? settings.rl.maxStaleness : null;
  }

  /** Closes the gate and stops the engines; resolves once weights may be changed. @throws LeaseError, BusUnavailableError */
  async begin(request: Omit<UpdateRequest, 'secret'>): Promise<BegunUpdate> {
    await this.keeper.settle();
    // Before the gate closes: an engine may take its time to answer.
    const engines = await this.weights.engines();
    const begun = await this.policy.changeBySamples((state, seen) =>
      beginUpdate(state, { ...request, secret: randomUUID() }, { ...seen, maxStaleness: this.maxStalenessAtBegin }),
    );
    if (begun.state === 'updating') return begun;
    try {
      const stood = await this.weights.stop(engines, begun);
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
  async commit(token: string, named: NamedWeights): Promise<EndedUpdate> {
    const { engineVersion, weightsPath, metrics } = named;
    if ((engineVersion === null) === (weightsPath === null)) throw new NoWeightsNamedError();
    const state = await this.policy.store.read();
    const update = state.gate.update?.token === token ? state.gate.update : null;
    // An update that has ended, or is somebody else's, gets its answer without a look at the engines.
    if (update?.pause !== undefined && weightsPath !== null) {
      await this.policy.store.change((current, now) => nameWeights(current, { token, weightsPath }, now));
    }
    const served =
      update?.pause === undefined
        ? null
        : await this.whileExtending({ token, leaseMs: update.leaseMs }, () =>
            this.weights.putIn(named, { pause: update.pause, name: `${state.version + 1}-${token.split('-')[0]}` }),
          );
    const ended = await this.policy.changeBySamples((current, seen) =>
      commitUpdate(current, { token, engineVersion: served, metrics }, seen),
    );
    await this.keeper.conclude(token, update === null ? null : ended);
    return ended;
  }

  /** Opens the gate with the weights that the engines have. @throws LeaseError, BusUnavailableError */
  async abort(token: string, reason: string): Promise<EndedUpdate> {
    const state = await this.policy.store.read();
    const isMine = state.gate.update?.token === token;
    const newVersion = isMine && state.gate.state === 'updating' ? await this.weights.newVersion(state) : null;
    const ended = await this.policy.changeBySamples((current, seen) =>
      abortUpdate(current, { token, newVersion, reason }, seen),
    );
    await this.keeper.conclude(token, isMine ? ended : null);
    return ended;
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
      Math.max(LEAST_BETWEEN_EXTENDS_MS, leaseMs / EXTENDS_PER_LEASE),
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
