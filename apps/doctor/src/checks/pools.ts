import { isLoopback } from '@app/config';
import { planPools, POOL_NAMES, poolProblems, showGpus, type PoolPlan } from '@app/pools';
import type { Check } from '../check';
import { failed, ok, warning, type Finding } from '../finding';
import { seeGpus, type SeenGpus } from '../machine/gpus';
import type { Visit } from '../visit';

/** Settings that say which GPUs there are, and which do what. */
const PLANNED_BY = ['pools.gpus', 'pools.trainer_gpus', 'pools.policy_gpus', 'pools.prm_gpus'];

/** Whom a plan of GPUs is for. */
export interface Planned {
  /** The pocket model serves, which computes on the CPU. */
  readonly isPocket: boolean;
  /** An operator has said which GPUs there are. */
  readonly isByOperator: boolean;
  /** The policy's engine is on this machine, as its URL says. */
  readonly isHere: boolean;
  /** The doctor is in a container, which sees the GPUs that it was given. */
  readonly isContainer: boolean;
}

const shown = ({ count, by }: SeenGpus, isContainer: boolean): string =>
  `${count === 0 ? 'no NVIDIA GPU' : count} ${isContainer ? 'in this container' : 'on this machine'} (${by})`;

/** What to say of a plan that can be, and of the GPUs that are seen. */
export const judgeGpus = ({ pools }: PoolPlan, seen: SeenGpus, planned: Planned): Finding => {
  const { isPocket, isByOperator, isHere, isContainer } = planned;
  const sight = shown(seen, isContainer);
  if (isPocket) return ok(`the pocket model needs none; ${sight}`);
  const shares = POOL_NAMES.map((name) => `${name} ${showGpus(pools[name].gpus)}`).join('; ');
  const last = Math.max(-1, ...POOL_NAMES.flatMap((name) => pools[name].gpus));
  if (seen.count > last) return ok(`GPUs of ${shares}; ${sight}`);
  const isLooked = seen.count > 0 ? isHere || isByOperator : isByOperator && !isContainer;
  if (isLooked) {
    return warning(
      `GPUs of ${shares}, and ${sight}`,
      seen.count === 0
        ? 'nvidia-smi -L has to list them where engines and trainer run: look at the driver there; if that is another machine, all is well'
        : `set NUM_GPUS=${seen.count} and the shares of the pools, or slime.colocate = true; npm run pools shows the plan`,
    );
  }
  return ok(`${sight}; where the engines run: ${shares}`);
};

const look = async ({ settings, env, configured, policy, isContainer }: Visit): Promise<Finding> => {
  const plan = planPools(settings);
  const problems = poolProblems(plan, settings);
  if (problems.length > 0) return failed(problems.join('\n'), 'npm run pools shows the plan');
  return judgeGpus(plan, await seeGpus(env), {
    isPocket: policy.urls.length === 0 || settings.server.policyModel === 'pocket',
    isByOperator: PLANNED_BY.some((path) => configured.has(path)),
    isHere: policy.urls.some((url) => isLoopback(new URL(url).hostname)),
    isContainer,
  });
};

export const poolsCheck: Check = { id: 'pools', title: 'GPU pools', needs: ['settings'], look };
