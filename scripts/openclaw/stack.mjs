import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../lib/problem.mjs';
import { loadConfigLibrary, root } from '../lib/project.mjs';
import { engineDoubleSpec, nodeSpec } from '../lib/services.mjs';

/** `npm start` with free ports, a store in `folder`, no settings of the user's, and a scripted engine double. */
export async function startStack(supervisor, { folder, script }) {
  const scriptFile = writeJson(join(folder, 'script.json'), script);
  const double = engineDoubleSpec(0);
  const [engine] = await supervisor.start([{ ...double, args: [...double.args, '--script', scriptFile] }]);
  const recordsDir = join(folder, 'records');
  const env = stackEnv({ folder, engineUrl: engine?.details ?? '', recordsDir });
  const start = [join(root, 'scripts', 'start.mjs'), '--judges', '1', '--state', join(folder, 'state')];
  await supervisor.start([{ ...nodeSpec('stack', start, env), ready: /^Ctrl-C stops everything/ }]);
  const lines = supervisor.linesOf('stack');
  return { recordsDir, gatewayUrl: urlIn(lines, 'Gateway').replace(/\/v1$/, ''), doorUrl: urlIn(lines, 'Trainer') };
}

function stackEnv({ folder, engineUrl, recordsDir }) {
  const names = new Set(
    loadConfigLibrary()
      .describeSettings()
      .flatMap((row) => row.env),
  );
  const isSetting = (name) => names.has(name) || name.startsWith('OPENCLAW_RL_') || name === 'SGLANG_API_KEY';
  const configFile = join(folder, 'openclaw-rl.toml');
  writeFileSync(configFile, '');
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !isSetting(name))),
    OPENCLAW_RL_CONFIG: configFile,
    OPENCLAW_RL_GATEWAY_PORT: '0',
    OPENCLAW_RL_DOOR_PORT: '0',
    OPENCLAW_RL_SERVER_BASE_URL: engineUrl,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'double',
    OPENCLAW_RL_SERVER_JUDGE_MODEL: 'judge',
    // No weight update of --updates makes a sample too old to be looked at.
    OPENCLAW_RL_RL_MAX_STALENESS: '100',
    OPENCLAW_RL_RECORDS_ENABLED: 'true',
    OPENCLAW_RL_RECORDS_DIR: recordsDir,
  };
}

function urlIn(lines, name) {
  const found = lines.map((line) => new RegExp(`^${name}\\s+(http\\S+)$`).exec(line)?.[1]).find(Boolean);
  if (found === undefined)
    throw new Problem(`npm start named no URL for ${JSON.stringify(name)}:\n${lines.join('\n')}`);
  return found;
}

function writeJson(path, value) {
  writeFileSync(path, JSON.stringify(value));
  return path;
}
