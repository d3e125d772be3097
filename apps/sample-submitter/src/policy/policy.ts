import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus } from '@app/bus';
import { PolicyStore, PolicyWatch, type Change, type PolicyState, type SampleView } from '@app/pools';
import { SampleIndex } from '../follow/sample-index';

/** What a change may look at beside the state: the server's time, and the samples that are stored. */
export interface Seen {
  readonly now: number;
  readonly view: SampleView;
}

/** The policy state for this app: the store that changes it and a watch that says when anybody has. */
@Injectable()
export class Policy implements OnApplicationBootstrap, BeforeApplicationShutdown {
  readonly store: PolicyStore;
  private readonly watch: PolicyWatch;

  constructor(
    bus: Bus,
    private readonly index: SampleIndex,
  ) {
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

  /** Applies a pure change that looks at every sample stored before the call. @throws as PolicyStore.change */
  async changeBySamples<Result>(change: (state: PolicyState, seen: Seen) => Change<Result>): Promise<Result> {
    await this.index.refresh();
    return this.store.change((state, now) => change(state, { now, view: this.index.view }));
  }

  /** Calls `listener` with the state at every change. */
  onChange(listener: (state: PolicyState) => void): void {
    this.watch.onChange(listener);
  }
}
