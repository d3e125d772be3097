import { join } from 'node:path';
import { modelEnv } from '../lib/pocket-stack.mjs';
import { loadConfigLibrary } from '../lib/project.mjs';
import { stackEnv, startQuietStack } from '../lib/quiet-stack.mjs';
import { appSpec } from '../lib/services.mjs';
import { startBatchDoor } from './batch-door.mjs';
import { startNoisyJudge } from './noisy-judge.mjs';

/**
 * The stack as `npm start` starts it, for one run: its judge and teacher are an engine of their own that never changes, behind a judge's
 * noise, and its trainer stands before a door that counts batches in turns. Both stand outside: the services are as they are.
 */
export async function startRunStack(supervisor, { folder, method, noise, distortion, seed, turns, training }) {
  const isolated = stackEnv(folder);
  const env = { ...isolated, ...modelEnv(loadConfigLibrary().loadSettings(isolated)) };
  const frozen = {
    ...env,
    OPENCLAW_RL_POCKET_PORT: '0',
    OPENCLAW_RL_POCKET_SERVED_FILE: join(folder, 'frozen.json'),
  };
  const [engine] = await supervisor.start([appSpec('pocket-engine', { name: 'frozen-engine', env: frozen })]);
  const judge = await startNoisyJudge(engine.details, { noise, seed });
  const stack = await startQuietStack(supervisor, {
    folder,
    recordsDir: join(folder, 'records'),
    settings: {
      OPENCLAW_RL_RL_ALGORITHM: method,
      OPENCLAW_RL_SERVER_JUDGE_BASE_URL: judge.url,
      OPENCLAW_RL_SERVER_JUDGE_MODEL: 'pocket-judge',
      // The trainer of this stack is started here, at another door.
      OPENCLAW_RL_TRAINER_BACKEND: 'file',
    },
  });
  const door = await startBatchDoor(stack.doorUrl, { turns, distortion, seed });
  const trainer = {
    ...env,
    ...trainingEnv(training),
    OPENCLAW_RL_TRAINER_BACKEND: 'pocket',
    OPENCLAW_RL_TRAINER_DOOR_URL: door.url,
    OPENCLAW_RL_TRAINING_WEIGHTS_DIR: join(folder, 'weights'),
  };
  await supervisor.start([appSpec('trainer', { env: trainer })]);
  const close = () => {
    judge.close();
    door.close();
  };
  return { ...stack, updates: door.updates, close };
}

/** Settings of [training] as variables. */
function trainingEnv(training) {
  return Object.fromEntries(
    Object.entries(training).map(([name, value]) => [`OPENCLAW_RL_TRAINING_${name.toUpperCase()}`, String(value)]),
  );
}
