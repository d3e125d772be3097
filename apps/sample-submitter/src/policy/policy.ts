import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyStore, PolicyWatch, type PolicyState } from '@app/pools';

/** The policy state for this app: the store that changes it and a watch that says when anybody has. */
@Injectable()
export class Policy implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly store: PolicyStore;
  private readonly watch: PolicyWatch;

  constructor(bus: Bus) {
    this.store = new PolicyStore(bus);
    this.watch = new PolicyWatch(bus);
  }

  /** The state as the watch saw it last: for bounds and gauges, not for decisions. */
  get current(): PolicyState {
    return this.watch.current;
  }

  onApplicationBootstrap(): void {
    void this.watch.run();
  }

  beforeApplicationShutdown(): void {
    this.watch.stop();
  }

  /** Calls `listener` with the state at every change. */
  onChange(listener: (state: PolicyState) => void): void {
    this.watch.onChange(listener);
  }
}
