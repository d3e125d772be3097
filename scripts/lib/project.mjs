import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const bin = join(root, 'node_modules', '.bin');

/** The Node that the project brings along; the running one where its install script was not allowed to run. */
export function projectNode() {
  const own = join(root, 'node_modules', 'node', 'bin', 'node');
  return existsSync(own) ? own : process.execPath;
}

/** The environment with the project's own tools first in the path. */
export function projectEnv(extra = {}) {
  return { ...process.env, PATH: [bin, process.env.PATH ?? ''].join(delimiter), ...extra };
}

/** The file that a package's command runs. */
export function commandFile(packageName, path) {
  return join(root, 'node_modules', packageName, path);
}

/** The built file of an app that Node runs. */
export function builtApp(app, file) {
  return join(root, 'dist', 'apps', app, 'src', `${file}.js`);
}

/** The built settings library. */
export function loadConfigLibrary() {
  return loadLibrary('config');
}

/** The built library of the messages and streams. */
export function loadContractsLibrary() {
  return loadLibrary('contracts');
}

/** The built library of the GPU pools. */
export function loadPoolsLibrary() {
  return loadLibrary('pools');
}

/** The built library of the metrics. */
export function loadTelemetryLibrary() {
  return loadLibrary('telemetry');
}

/** The built library of simulated people, exams and charts. */
export function loadExperimentLibrary() {
  return loadLibrary('experiment');
}

/** The built library of the arithmetic of scale and its simulation. */
export function loadScalingLibrary() {
  return loadLibrary('scaling');
}

/** The built pocket model. */
export function loadPocketLibrary() {
  return loadLibrary('pocket-lm');
}

function loadLibrary(name) {
  return createRequire(import.meta.url)(join(root, 'dist', 'libs', name, 'src', 'index.js'));
}
