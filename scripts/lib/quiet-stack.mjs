import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Problem } from './problem.mjs';
import { loadConfigLibrary, root } from './project.mjs';
import { QuietSupervisor } from './quiet-supervisor.mjs';
import { nodeSpec } from './services.mjs';

/** Runs `work` with a quiet supervisor and a folder that are gone afterwards, whatever happens and whichever signal comes. */
export async function withQuietSupervisor(name, work) {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  const supervisor = new QuietSupervisor();
  const stopping = new AbortController();
  const stopped = new Promise((_, reject) => {
    const onSignal = (signal) => {
      stopping.abort();
      reject(new Problem(`Stopped by ${signal}.`));
    };
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, onSignal);
  });
  try {
    const working = work({ folder, supervisor, signal: stopping.signal });
    await Promise.race([working, supervisor.failed, stopped]);
  } finally {
    stopping.abort();
    await supervisor.stop();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** `npm start` with free ports, a store in `folder`, records in `recordsDir`, and settings from `settings` alone. */
export async function startQuietStack(supervisor, { folder, recordsDir, settings }) {
  const env = {
    ...stackEnv(folder),
    OPENCLAW_RL_RECORDS_ENABLED: 'true',
    OPENCLAW_RL_RECORDS_DIR: recordsDir,
    ...settings,
  };
  const start = [join(root, 'scripts', 'start.mjs'), '--judges', '1', '--state', join(folder, 'state')];
  await supervisor.start([{ ...nodeSpec('stack', start, env), ready: /^Ctrl-C stops everything/ }]);
  const lines = supervisor.linesOf('stack');
  return { recordsDir, gatewayUrl: urlIn(lines, 'Gateway').replace(/\/v1$/, ''), doorUrl: urlIn(lines, 'Trainer') };
}

/** The environment without the user's settings. */
export function stackEnv(folder) {
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
  };
}

function urlIn(lines, name) {
  const found = lines.map((line) => new RegExp(`^${name}\\s+(http\\S+)$`).exec(line)?.[1]).find(Boolean);
  if (found === undefined)
    throw new Problem(`npm start named no URL for ${JSON.stringify(name)}:\n${lines.join('\n')}`);
  return found;
}
