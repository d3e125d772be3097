import { ensureBuilt } from './lib/build.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { Problem, runScript } from './lib/problem.mjs';
import { loadConfigLibrary, loadPoolsLibrary } from './lib/project.mjs';

await runScript(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const settings = loadConfigLibrary().loadSettings(process.env);
  const pools = loadPoolsLibrary();
  const plan = pools.planPools(settings);
  console.log(pools.describePlan(plan));
  const problems = pools.poolProblems(plan, settings);
  if (problems.length > 0) throw new Problem(['This cannot be:', ...problems].join('\n'));
});
