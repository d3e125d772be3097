import { join, resolve } from 'node:path';
import { freePort, reachedAt } from './ports.mjs';
import { root } from './project.mjs';
import { appSpec } from './services.mjs';

/** Nobody is configured to serve: the pocket model does. */
export function usesPocketModel({ server }) {
  return server.baseUrl === null;
}

/** Whether the policy's pocket engine has to have the port that is configured; else it gets one that is free. */
export function isPocketPortFixed(settings, configured) {
  return usesPocketModel(settings) && configured.has('pocket.port') && settings.pocket.port !== 0;
}

/** The pocket model learns from what it is told, unless somebody wants another trainer. */
export function isTrainerWanted(settings, configured) {
  return usesPocketModel(settings) && (!configured.has('trainer.backend') || settings.trainer.backend === 'pocket');
}

/**
 * Starts the pocket model's engine, policy and judge, and where hints are asked for a second one, judge and teacher, whose
 * weights never change. Each comes back with the weights that it served. Returns the variables that name them to the apps.
 */
export async function providePocketEngines(supervisor, { settings, configured, stateDir }) {
  const { server, rl, pocket } = settings;
  const start = async (name, { host, port, servedFile }) => {
    const env = {
      ...process.env,
      ...modelEnv(settings),
      OPENCLAW_RL_POCKET_HOST: host,
      OPENCLAW_RL_POCKET_PORT: String(port),
      OPENCLAW_RL_POCKET_SERVED_FILE: servedFile,
    };
    await supervisor.start([appSpec('pocket-engine', { name, env })]);
    return reachedAt(`http://${host.includes(':') ? `[${host}]` : host}:${port}`);
  };
  // Each of its own: what is configured is the policy's.
  const ownPlace = async (name) => ({
    host: pocket.host,
    port: await freePort(),
    servedFile: join(stateDir, `${name}.json`),
  });
  const policyPlace = async () => ({
    ...(await ownPlace('pocket-engine')),
    ...(isPocketPortFixed(settings, configured) && { port: pocket.port }),
    ...(configured.has('pocket.served_file') && { servedFile: pocket.servedFile }),
  });
  const judges = server.judgeBaseUrl === null;
  const policyAt = await policyPlace();
  const teacherAt = judges && rl.asksTeacher ? await ownPlace('pocket-teacher') : null;
  const [policyUrl, judgeUrl] = await Promise.all([
    start('pocket-engine', policyAt),
    teacherAt === null ? null : start('pocket-teacher', teacherAt),
  ]);
  return {
    OPENCLAW_RL_SERVER_BASE_URL: policyUrl,
    OPENCLAW_RL_SERVER_POLICY_MODEL: 'pocket',
    ...(judges && { OPENCLAW_RL_SERVER_JUDGE_MODEL: pocket.judgeModel }),
    ...(judgeUrl !== null && { OPENCLAW_RL_SERVER_JUDGE_BASE_URL: judgeUrl }),
  };
}

/** Variables of the trainer that teaches the pocket model, with its weights in the folder of the store. */
export function pocketTrainerEnv(settings, { configured, stateDir, doorUrl }) {
  const { weightsDir } = settings.training;
  return {
    ...modelEnv(settings),
    OPENCLAW_RL_TRAINER_BACKEND: 'pocket',
    OPENCLAW_RL_TRAINER_DOOR_URL: doorUrl,
    OPENCLAW_RL_TRAINING_WEIGHTS_DIR: configured.has('training.weights_dir') ? weightsDir : join(stateDir, 'weights'),
  };
}

/** The pocket model's vocabulary, by which the console shows tokens as text. Its engine gives ids, so nothing is rendered by it. */
export function pocketTokenizerEnv({ server, pocket }) {
  return server.tokenizer === null ? { OPENCLAW_RL_SERVER_TOKENIZER: resolve(root, pocket.modelDir) } : {};
}

/** Where the pocket model is, wherever a program is started. */
export function modelEnv({ pocket }) {
  return { OPENCLAW_RL_POCKET_MODEL_DIR: resolve(root, pocket.modelDir) };
}
