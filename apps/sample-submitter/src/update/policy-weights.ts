import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import { isDrained, requirePools, type BegunUpdate, type PauseMode, type PolicyState } from '@app/pools';
import { Policy } from '../policy/policy';
import { agreedVersion, PolicyEngines } from './policy-engines';
import { EnginesFailedError, WrongWeightsError } from './update-errors';

const MS = 1000;
const LOOK_EVERY_MS = 20;

/** What a trainer says with its commit: weights that the engines have, or ones to load. */
export interface NamedWeights {
  readonly engineVersion: string | null;
  readonly weightsPath: string | null;
  readonly metrics: Readonly<Record<string, number>>;
}

/** The weights in the policy's engines: which serve, and how they change. */
@Injectable()
export class PolicyWeights {
  private readonly urls: readonly string[];

  constructor(
    private readonly settings: Settings,
    private readonly bus: Bus,
    private readonly policy: Policy,
  ) {
    this.urls = requirePools(settings).pools.policy.engines;
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

  /** Lets them stand as the settings say, or empties them; and what they serve then. @throws EngineError, EnginesFailedError */
  async stop(engines: PolicyEngines, begun: BegunUpdate): Promise<{ pause: PauseMode; engineVersion: string | null }> {
    engines.requireAccess();
    if (engines.reachable === 0) throw new EnginesFailedError('no engine of the policy can be reached: start one');
    const stood = await this.stand(engines, begun);
    return { pause: stood, engineVersion: agreedVersion(await engines.readVersions()) };
  }

  /** The name of the new weights once an engine serves them. @throws LeaseError, EngineError */
  async putIn(
    { engineVersion, weightsPath }: NamedWeights,
    { pause: stands, name }: { pause: PauseMode | undefined; name: string },
  ): Promise<string> {
    const engines = await this.engines();
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

  private async stand(engines: PolicyEngines, begun: BegunUpdate): Promise<PauseMode> {
    const { pause: mode } = this.settings.gate;
    if (mode !== 'drain' && (await engines.stand(mode))) return mode;
    const end = Date.now() + this.settings.gate.drainTimeoutS * MS;
    const isLate = (): boolean => Date.now() >= end || this.policy.store.now() >= begun.expiresAt;
    while (!(await isDrained(this.bus, begun.token)) && !isLate()) await pause(LOOK_EVERY_MS);
    await engines.stop();
    return 'drained';
  }
}
