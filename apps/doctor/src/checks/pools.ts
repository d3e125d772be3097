import { planPools, POOL_NAMES, poolProblems } from '@app/pools';
import type { Check } from '../check';
import { failed, ok, type Finding } from '../finding';
import type { Visit } from '../visit';

const look = ({ settings }: Visit): Finding => {
  const plan = planPools(settings);
  const problems = poolProblems(plan, settings);
  if (problems.length > 0) return failed(problems.join('\n'), 'npm run pools shows the plan');
  const shares = POOL_NAMES.map((name) => `${name} ${plan.pools[name].gpus.join(',') || 'none'}`);
  return ok(`GPUs of ${shares.join('; ')}`);
};

export const poolsCheck: Check = { id: 'pools', title: 'GPU pools', needs: ['settings'], look };
