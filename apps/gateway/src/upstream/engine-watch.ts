import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '@app/config';
import { lookAtEngine } from '@app/engines';
import { PolicyWatch } from '@app/pools';
import type { PolicyEngine } from './policy-engine';
import { UpstreamService } from './upstream.service';

const LOOK_TIMEOUT_MS = 5000;
const MS = 1000;

/**
 * Looks at the policy's engines again and again: whether they are in order, and whether they serve the weights that the gate
 * has. Nothing is concluded while weights are changed: then engines are busy, and serve other weights by intent.
 */
@Injectable()
export class EngineWatch implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly looking = new Set<PolicyEngine>();
  private timer: NodeJS.Timeout | null = null;
  private stopped = false;

  constructor(
    private readonly upstream: UpstreamService,
    private readonly policy: PolicyWatch,
    private readonly settings: Settings,
  ) {
    upstream.onTrouble((engine) => {
      void this.look(engine);
    });
    policy.onChange(({ engineVersion }) => {
      if (upstream.expect(engineVersion ?? null)) this.lookAtAll();
    });
  }

  onApplicationBootstrap(): void {
    this.lookAtAll();
  }

  onApplicationShutdown(): void {
    this.stopped = true;
    if (this.timer !== null) clearTimeout(this.timer);
  }

  private lookAtAll(): void {
    if (this.stopped) return;
    if (this.timer !== null) clearTimeout(this.timer);
    for (const engine of this.upstream.engines) void this.look(engine);
    this.timer = setTimeout(() => {
      this.lookAtAll();
    }, this.settings.pools.checkEveryS * MS);
    this.timer.unref();
  }

  private async look(engine: PolicyEngine): Promise<void> {
    if (!this.isOfUse || this.looking.has(engine)) return;
    this.looking.add(engine);
    try {
      // What was asked of one version says nothing about the next.
      for (let asked = this.weights, told = false; asked !== undefined && !told;) {
        const report = await lookAtEngine(engine.client, AbortSignal.timeout(LOOK_TIMEOUT_MS));
        told = asked === this.weights;
        if (told && !this.stopped) this.upstream.noteCheck(engine, report);
        asked = this.weights;
      }
    } finally {
      this.looking.delete(engine);
    }
  }

  /** About one engine that is in order, and whose weights nobody has named, there is nothing to be found out. */
  private get isOfUse(): boolean {
    const { engines, states } = this.upstream;
    const isInOrder = states.every(({ condition }) => condition === 'ok');
    return engines.length > 1 || !isInOrder || this.policy.current.engineVersion !== undefined;
  }

  /** The weights that serve, null where they have no name; undefined while they are changed. */
  private get weights(): string | null | undefined {
    const { gate, engineVersion } = this.policy.current;
    return gate.state === 'serving' ? (engineVersion ?? null) : undefined;
  }
}
