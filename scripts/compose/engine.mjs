import { join } from 'node:path';
import { Problem } from '../lib/problem.mjs';
import { findPrometheus } from '../lib/prometheus.mjs';
import { succeeds } from '../lib/run.mjs';
import { foreignImages, makeBaseImages } from './base-images.mjs';
import { buildCompose, hasCompose } from './find-compose.mjs';
import { PrivateDocker, whyNoPrivateDocker } from './private-docker.mjs';

const ANSWER_MS = 10_000;

/**
 * What runs the compose files of `copy`, or `{ missing }`, a few words on why nothing does: the Docker of this machine if it
 * has Compose, else one of its own for the time of the test. `env` is the environment in which `docker` and `docker compose` meet
 * it; `canSignalContainers`, whether processes of containers are to be seen from here.
 */
export async function findEngine(copy, folder, natsServer) {
  if ((await hasCompose(process.env)) && (await succeeds('docker', ['info'], ANSWER_MS))) {
    return { env: process.env, canSignalContainers: false, stop: () => Promise.resolve() };
  }
  const missing = await whyNoPrivateDocker();
  if (missing !== null) return { missing };
  const { plugin, missing: noCompose } = await buildCompose();
  if (noCompose !== undefined) return { missing: noCompose };
  const { prometheus, missing: noPrometheus } = await findPrometheus();
  if (noPrometheus !== undefined) return { missing: noPrometheus };
  console.log(
    'Starting a Docker of its own. Images of registries are stand-ins made of Debian; Grafana only says that it is well.',
  );
  const docker = new PrivateDocker(join(folder, 'docker'));
  try {
    await docker.start(plugin);
    const deploy = join(copy, 'deploy');
    const files = [join(deploy, 'docker-compose.yml'), join(deploy, 'tls.yml')];
    const images = foreignImages(files, join(copy, 'Dockerfile'));
    await makeBaseImages(docker, folder, { images, programs: { natsServer, prometheus } });
  } catch (error) {
    await docker.stop();
    if (error instanceof Problem) return { missing: error.message };
    throw error;
  }
  return { env: docker.env, canSignalContainers: true, stop: () => docker.stop() };
}
