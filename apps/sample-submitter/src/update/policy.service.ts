import { Injectable } from '@nestjs/common';
import { isGateClosed, type EndedUpdate, type Gate } from '@app/pools';
import { Policy } from '../policy/policy';
import { PolicyWeights } from './policy-weights';

/** An ended update, as people and trainers see it: without its token. */
export interface UpdateReport {
  readonly outcome: string;
  readonly policy_version: number;
  readonly engine_version: string | null;
  readonly trainer: string;
  readonly started_at: number;
  readonly ended_at: number;
  readonly samples: number;
  readonly reason: string | null;
}

/** The policy as it is. */
export interface PolicyReport {
  readonly policy_version: number;
  readonly engine_version: string | null;
  /** Where the engines loaded this version's weights from; null where a trainer put them in, or nobody has changed any. */
  readonly weights_path: string | null;
  readonly gate: {
    readonly state: string;
    readonly closed: boolean;
    readonly holder: string | null;
    readonly until: number | null;
    readonly pause: string | null;
  };
  readonly engines: readonly { readonly url: string; readonly reachable: boolean; readonly version: string | null }[];
  /** Samples that were not handed out because they had become too old. */
  readonly stale: number;
  readonly updates: readonly UpdateReport[];
}

export const reportOf = (ended: EndedUpdate): UpdateReport => ({
  outcome: ended.outcome,
  policy_version: ended.version,
  engine_version: ended.engineVersion ?? null,
  trainer: ended.trainer,
  started_at: ended.startedAt,
  ended_at: ended.endedAt,
  samples: ended.samples,
  reason: ended.reason ?? null,
});

/** A URL for people: without a user or password that stands in it. */
const shown = (url: string): string => {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname === '/' ? '' : pathname}`;
};

@Injectable()
export class PolicyService {
  constructor(
    private readonly policy: Policy,
    private readonly weights: PolicyWeights,
  ) {}

  /** @throws BusUnavailableError */
  async read(): Promise<PolicyReport> {
    const state = await this.policy.store.read();
    const engines = await (await this.weights.engines()).readVersions();
    const { holder, until, update }: Gate = state.gate;
    return {
      policy_version: state.version,
      engine_version: state.engineVersion ?? null,
      weights_path: state.weightsPath ?? null,
      gate: {
        state: state.gate.state,
        closed: isGateClosed(state, this.policy.store.now()),
        holder: holder ?? null,
        until: until ?? null,
        pause: update?.pause ?? null,
      },
      engines: engines.map(({ url, reachable, version }) => ({ url: shown(url), reachable, version })),
      stale: state.stale ?? 0,
      updates: (state.history ?? []).map(reportOf),
    };
  }
}
