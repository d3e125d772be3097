import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startQuietStack } from '../lib/quiet-stack.mjs';
import { engineDoubleSpec } from '../lib/services.mjs';

/** `npm start` with a scripted engine double as policy and judge. */
export async function startStack(supervisor, { folder, script }) {
  const scriptFile = join(folder, 'script.json');
  writeFileSync(scriptFile, JSON.stringify(script));
  const double = engineDoubleSpec(0);
  const [engine] = await supervisor.start([{ ...double, args: [...double.args, '--script', scriptFile] }]);
  const settings = {
    OPENCLAW_RL_SERVER_BASE_URL: engine?.details ?? '',
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    // No weight update of --updates makes a sample too old to be looked at.
    OPENCLAW_RL_RL_MAX_STALENESS: '100',
  };
  return startQuietStack(supervisor, { folder, recordsDir: join(folder, 'records'), settings });
}
