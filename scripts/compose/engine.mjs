import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Problem } from '../lib/problem.mjs';
import { findPrometheus } from '../lib/prometheus.mjs';
import { succeeds } from '../lib/run.mjs';
import { makeBaseImages } from './base-images.mjs';
import { PrivateDocker, whyNoPrivateDocker } from './private-docker.mjs';
import { foreignImages, translate } from './translate.mjs';

const PROJECT = ['-p', 'openclaw-rl-test'];
const FILE = 'docker-compose.yml';
const TLS_FILE = 'tls.yml';
const NO_FILE = /^$/;
const SECRETS = /^secrets\//;
const ANSWER_MS = 10_000;

/**
 * What runs the compose files of `copy`, or `{ missing }`, a few words on why nothing does: the Docker of this machine if it
 * has Compose, else one of its own for the time of the test. `compose` is the command before its arguments, without and with
 * TLS; `canSignalContainers`, whether processes of containers are to be seen from here.
 */
export async function findEngine(copy, folder, natsServer) {
  const deploy = join(copy, 'deploy');
  const hasCompose = await succeeds('docker', ['compose', 'version'], ANSWER_MS);
  if (hasCompose && (await succeeds('docker', ['info'], ANSWER_MS))) return dockerOfThisMachine(deploy);
  const missing = await whyNoPrivateDocker();
  if (missing !== null) return { missing };
  const { prometheus, missing: noPrometheus } = await findPrometheus();
  if (noPrometheus !== undefined) return { missing: noPrometheus };
  console.log(
    'Starting a Docker of its own. Images of registries are stand-ins made of Debian; Grafana only says that it is well.',
  );
  const docker = new PrivateDocker(join(folder, 'docker'));
  try {
    await docker.start();
    const images = foreignImages([join(deploy, FILE), join(deploy, TLS_FILE)], join(copy, 'Dockerfile'));
    await makeBaseImages(docker, folder, { images, programs: { natsServer, prometheus } });
  } catch (error) {
    await docker.stop();
    if (error instanceof Problem) return { missing: error.message };
    throw error;
  }
  return {
    env: docker.env,
    compose: oldComposeCommands(deploy, folder),
    canSignalContainers: true,
    stop: () => docker.stop(),
  };
}

function dockerOfThisMachine(deploy) {
  const command = (...files) => [
    'docker',
    'compose',
    ...PROJECT,
    ...files.flatMap((file) => ['-f', join(deploy, file)]),
  ];
  return {
    env: process.env,
    compose: { plain: command(FILE), tls: command(FILE, TLS_FILE) },
    canSignalContainers: false,
    stop: () => Promise.resolve(),
  };
}

function oldComposeCommands(deploy, folder) {
  const write = (file, name, present) => {
    const path = join(folder, name);
    writeFileSync(path, JSON.stringify(translate(join(deploy, file), present)));
    return ['-f', path];
  };
  const command = (...files) => ['docker-compose', '--project-directory', deploy, ...PROJECT, ...files.flat()];
  return {
    plain: command(write(FILE, 'plain.json', NO_FILE)),
    // Who puts TLS in front has secrets.
    tls: command(write(FILE, 'with-secrets.json', SECRETS), write(TLS_FILE, 'tls.json', SECRETS)),
  };
}
