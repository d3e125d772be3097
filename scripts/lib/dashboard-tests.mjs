import { join } from 'node:path';
import { runJest } from './jest.mjs';
import { findPrometheus } from './prometheus.mjs';
import { root } from './project.mjs';
import { run } from './run.mjs';

/**
 * The rules by promtool, then every panel's and every rule's expression in a real Prometheus that watches a real stack. Returns
 * how many tests passed and failed; where no Prometheus can be had it says so, and both are 0.
 */
export async function runDashboardTests(natsServer) {
  const { prometheus, promtool, missing } = await findPrometheus();
  if (missing !== undefined) {
    console.log(`Skipped: ${missing}. The dashboards and rules are not tested.`);
    return { passed: 0, failed: 0 };
  }
  const rules = join(root, 'deploy', 'prometheus', 'rules.test.yml');
  const isRight = (await run(promtool, ['test', 'rules', rules], { quiet: true })) === 0;
  console.log(isRight ? 'rules: as their tests say' : 'rules: FAILED, see above');
  const { passed, failed } = await runJest('dashboards', {
    env: { PROMETHEUS_BIN: prometheus, NATS_SERVER_BIN: natsServer },
    flags: ['--runInBand'],
  });
  return { passed: passed + (isRight ? 1 : 0), failed: failed + (isRight ? 0 : 1) };
}
