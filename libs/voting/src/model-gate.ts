import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { Settings } from '@app/config';
import type { AccessGate } from '@app/engines';
import {
  answerRunning,
  GateWatch,
  obeysGate,
  planPools,
  PolicyWatch,
  servingWeights,
  type PoolPlan,
  type PolicyState,
} from '@app/pools';

/** Who calls engines that stand still with the policy's. */
interface Caller {
  readonly running: number;
}

/** The update gate for models that are asked on the policy's engines, or on its GPUs: they wait as chats do. */
@Injectable()
export class ModelGate implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly plan: PoolPlan;
  private readonly watch: PolicyWatch;
  private readonly gate: GateWatch;
  private readonly callers = new Set<Caller>();

  constructor(
    private readonly bus: Bus,
    settings: Settings,
  ) {
    this.plan = planPools(settings);
    this.watch = new PolicyWatch(bus);
    this.gate = new GateWatch(this.watch);
  }

  /** What keeps calls to engines at these URLs back; null: weight updates do not concern them. */
  of(urls: readonly string[]): AccessGate | null {
    return obeysGate(this.plan, urls) ? this.gate : null;
  }

  /** Whether the engine at this URL is one of the policy's, whose weights are those of a version. */
  isPolicys(url: string): boolean {
    return this.plan.pools.policy.engines.includes(url);
  }

  /** The weights that the engine at this URL should serve, null: any. undefined: nothing can be said while weights are changed. */
  weightsAt(url: string): string | null | undefined {
    if (this.isPolicys(url)) return servingWeights(this.watch.current);
    return this.of([url])?.isClosed === true ? undefined : null;
  }

  /**
   * Calls `listener` with the engines' name of the policy's weights, null where they have none, now and whenever it may have
   * changed. Returns what ends that.
   */
  onWeights(listener: (weights: string | null) => void): () => void {
    const tell = ({ engineVersion }: PolicyState): void => {
      listener(engineVersion ?? null);
    };
    tell(this.watch.current);
    return this.watch.onChange(tell);
  }

  /** Has the door wait until this caller's calls have ended, where engines have to be let end. */
  join(caller: Caller): void {
    // Who calls no such engine is not asked. Without a bus nobody asks.
    if (this.callers.size === 0) answerRunning(this.bus, this.asRunner()).catch(() => undefined);
    this.callers.add(caller);
  }

  onApplicationBootstrap(): void {
    void this.watch.run();
  }

  beforeApplicationShutdown(): void {
    this.watch.stop();
  }

  private asRunner(): { readonly running: number; readonly token: string | undefined } {
    const { callers, gate } = this;
    return {
      get running() {
        return [...callers].reduce((sum, { running }) => sum + running, 0);
      },
      get token() {
        return gate.token;
      },
    };
  }
}
