import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { EnginePatrol } from '@app/patrol';
import { PolicyWatch, servingWeights } from '@app/pools';
import type { PolicyEngine } from './policy-engine';
import { UpstreamService } from './upstream.service';

const MS = 1000;

/** Looks at the policy's engines: whether they are in order, and whether they serve the weights that the gate has. */
@Injectable()
export class EngineWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly patrol: EnginePatrol<PolicyEngine>;

  constructor(
    private readonly upstream: UpstreamService,
    private readonly policy: PolicyWatch,
    settings: Settings,
  ) {
    this.patrol = new EnginePatrol<PolicyEngine>(upstream.engines, {
      everyMs: settings.pools.checkEveryS * MS,
      isOfUse: () => this.isOfUse,
      weightsOf: () => servingWeights(policy.current),
      note: (engine, report) => {
        upstream.noteCheck(engine, report);
      },
    });
    upstream.onTrouble((engine) => {
      void this.patrol.look(engine);
    });
    policy.onChange(({ engineVersion }) => {
      if (upstream.expect(engineVersion ?? null)) this.patrol.lookAtAll();
    });
  }

  onApplicationBootstrap(): void {
    this.patrol.lookAtAll();
  }

  onApplicationShutdown(): void {
    this.patrol.stop();
  }

  /** About one engine that is in order, and whose weights nobody has named, there is nothing to be found out. */
  private get isOfUse(): boolean {
    const { engines, states } = this.upstream;
    const isInOrder = states.every(({ condition }) => condition === 'ok');
    return engines.length > 1 || !isInOrder || this.policy.current.engineVersion !== undefined;
  }
}
