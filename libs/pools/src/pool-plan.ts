import type { Settings } from '@app/config';
import { allotGpus, showGpus } from './gpu-share';

/** The pools, in the order in which numbers of GPUs are taken from the machine. */
export const POOL_NAMES = ['trainer', 'policy', 'prm'] as const;
export type PoolName = (typeof POOL_NAMES)[number];

/** A set of GPUs with one job. */
export interface Pool {
  readonly name: PoolName;
  readonly gpus: readonly number[];
  /** Base URLs of its engines; none where no URL is configured, or where nothing serves (trainer). */
  readonly engines: readonly string[];
  /** GPUs of one engine, or of one copy of the trainer's model; 0 in a pool without GPUs. */
  readonly tensorParallel: number;
}

/** Which GPUs do what, and what follows from it. */
export interface PoolPlan {
  readonly gpus: number;
  readonly pools: Readonly<Record<PoolName, Pool>>;
  /** Where chats are sent: the policy's engines, or the router in front of them. */
  readonly policyUrls: readonly string[];
  /** Where judging is asked for. */
  readonly judgeUrls: readonly string[];
  /** The judge asks the policy's engine. */
  readonly judgeSharesEngine: boolean;
}

/** Thrown when the pools cannot be as they are configured. */
export class PoolPlanError extends Error {
  override readonly name = 'PoolPlanError';

  constructor(readonly problems: readonly string[]) {
    super(['The GPU pools cannot be as configured:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

const DEFAULT_GPUS: Readonly<Record<PoolName, number>> = { trainer: 4, policy: 2, prm: 2 };

const orOne = (engines: readonly string[], url: string | null): readonly string[] => {
  if (engines.length > 0) return engines;
  return url === null ? [] : [url];
};

/** Where each model is, as the settings say it. */
const addressesOf = ({
  pools,
  server,
}: Settings): Record<'engines' | 'policyUrls' | 'judgeUrls', readonly string[]> => {
  const engines = orOne(pools.policyEngines, server.baseUrl);
  const policyUrls = pools.policyRouter ? orOne([], server.baseUrl) : engines;
  const isPolicys = pools.prmEngines.length === 0 && server.judgeBaseUrl === server.baseUrl;
  return { engines, policyUrls, judgeUrls: isPolicys ? policyUrls : orOne(pools.prmEngines, server.judgeBaseUrl) };
};

/** The plan as the settings say it, whether it can be or not. */
export const planPools = (settings: Settings): PoolPlan => {
  const { pools, slime } = settings;
  const { engines: policyEngines, policyUrls, judgeUrls } = addressesOf(settings);
  const isPolicys = (url: string): boolean => policyEngines.includes(url) || policyUrls.includes(url);
  const judgeSharesEngine = judgeUrls.some(isPolicys);
  const byDefault = (name: PoolName): number => {
    if (name === 'prm' && judgeSharesEngine) return 0;
    return slime.colocate ? pools.gpus : DEFAULT_GPUS[name];
  };
  const configured = {
    trainer: { share: pools.trainerGpus, tp: pools.trainerTp, engines: [] },
    policy: { share: pools.policyGpus, tp: pools.policyTp, engines: policyEngines },
    prm: { share: pools.prmGpus, tp: pools.prmTp, engines: judgeUrls.filter((url) => !isPolicys(url)) },
  };
  const shares = POOL_NAMES.map((name) => configured[name].share ?? byDefault(name));
  const allotted = allotGpus(shares, slime.colocate);
  const poolOf = (name: PoolName): Pool => {
    const { tp, engines } = configured[name];
    const gpus = allotted[POOL_NAMES.indexOf(name)] ?? [];
    const share = Math.floor(gpus.length / Math.max(1, engines.length));
    return { name, gpus, engines, tensorParallel: gpus.length === 0 ? 0 : (tp ?? Math.max(1, share)) };
  };
  return {
    gpus: pools.gpus,
    pools: { trainer: poolOf('trainer'), policy: poolOf('policy'), prm: poolOf('prm') },
    policyUrls,
    judgeUrls,
    judgeSharesEngine,
  };
};

const overlaps = ({ pools }: PoolPlan): string[] =>
  POOL_NAMES.flatMap((a, i) =>
    POOL_NAMES.slice(i + 1).flatMap((b) => {
      const shared = pools[a].gpus.filter((gpu) => pools[b].gpus.includes(gpu));
      if (shared.length === 0) return [];
      return `pools.${a}_gpus and pools.${b}_gpus both hold GPU ${showGpus(shared)}: take them apart, or set slime.colocate = true`;
    }),
  );

const tooMany = ({ gpus, pools }: PoolPlan): string[] =>
  POOL_NAMES.flatMap((name) => {
    const missing = pools[name].gpus.filter((gpu) => gpu >= gpus);
    if (missing.length === 0) return [];
    return `pools.${name}_gpus comes to GPU ${showGpus(pools[name].gpus)}, and the machine has 0-${gpus - 1} (pools.gpus, NUM_GPUS): give it fewer, or set slime.colocate = true to share them`;
  });

const divisions = ({ pools }: PoolPlan): string[] =>
  POOL_NAMES.flatMap((name) => {
    const { gpus, engines, tensorParallel: size } = pools[name];
    if (gpus.length === 0) return [];
    if (gpus.length % size !== 0) {
      return `pools.${name}_tp is ${size} and does not divide the ${gpus.length} GPUs of the pool (pools.${name}_gpus)`;
    }
    if (engines.length === 0 || gpus.length === size * engines.length) return [];
    return `pools.${name}_gpus holds ${gpus.length} GPUs, and ${engines.length} engines of ${size} use ${engines.length * size}: change one of them, or pools.${name}_tp`;
  });

/** What cannot be as it is configured, in words for the operator. */
export const poolProblems = (plan: PoolPlan, { pools, slime }: Settings): string[] => {
  const idle = (name: 'policy' | 'prm', share: unknown, setting: string): string[] =>
    share === null || plan.pools[name].gpus.length === 0 || plan.pools[name].engines.length > 0
      ? []
      : [
          `pools.${name}_gpus holds GPU ${showGpus(plan.pools[name].gpus)}, and no engine runs there: set ${setting}, or pools.${name}_gpus = 0`,
        ];
  return [
    ...(slime.colocate ? [] : overlaps(plan)),
    ...tooMany(plan),
    ...divisions(plan),
    ...idle('policy', pools.policyGpus, 'server.base_url'),
    ...idle('prm', pools.prmGpus, 'server.judge_base_url'),
  ];
};

/** The plan, if it can be. @throws PoolPlanError */
export const requirePools = (settings: Settings): PoolPlan => {
  const plan = planPools(settings);
  const problems = poolProblems(plan, settings);
  if (problems.length > 0) throw new PoolPlanError(problems);
  return plan;
};

/** Whether the trainer trains on GPUs of the policy: then engines give way for as long as it does. */
export const sharesPolicyGpus = ({ pools }: PoolPlan): boolean =>
  pools.trainer.gpus.some((gpu) => pools.policy.gpus.includes(gpu));

/**
 * Whether engines at these URLs stand still while the policy's weights are changed: they are the policy's, or the judge's on
 * GPUs of the policy or the trainer.
 */
export const obeysGate = ({ pools, policyUrls }: PoolPlan, urls: readonly string[]): boolean => {
  const { policy, prm, trainer } = pools;
  const givesWay = prm.gpus.some((gpu) => policy.gpus.includes(gpu) || trainer.gpus.includes(gpu));
  return urls.some(
    (url) => policyUrls.includes(url) || policy.engines.includes(url) || (givesWay && prm.engines.includes(url)),
  );
};
