import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { builtApp, projectNode, root } from './project.mjs';

// Ends the program when standard input closes, so that it never outlives the supervisor.
const GUARD = `
exec 3<&0
"$@" </dev/null 3<&- & program=$!
{ read _; kill $program; } <&3 >/dev/null 2>&1 & watcher=$!
exec 3<&-
wait $program; code=$?
{ kill $watcher; wait $watcher; } 2>/dev/null
exit $code`;
const HEAP_LIMIT = 'GOMEMLIMIT=512MiB';
const NATS_READY = /Server is ready/;

/** A NATS server with its own store in the state folder. `found` is what findNatsServer returned. */
export function natsSpec(found, { port, stateDir, storeGb }) {
  const [variable, limit] = HEAP_LIMIT.split('=');
  const command = found.binary
    ? [found.binary, '-c', writeNatsConfig(stateDir, storeGb), '-a', '127.0.0.1', '-p', String(port)]
    : [found.docker, ...dockerArguments(found.dockerImage, { port, stateDir })];
  return {
    name: 'nats',
    command: 'sh',
    args: ['-c', GUARD, 'sh', ...command],
    env: { ...process.env, [variable]: limit },
    stdio: ['pipe', 'pipe', 'pipe'],
    endsWithInput: true,
    quiet: true,
    ready: NATS_READY,
  };
}

/** deploy/nats.conf, with a store of the size that the streams are cut from. */
function writeNatsConfig(stateDir, storeGb) {
  mkdirSync(stateDir, { recursive: true });
  const path = join(stateDir, 'nats.conf');
  const base = relative(stateDir, join(root, 'deploy', 'nats.conf'));
  const megabytes = Math.ceil(storeGb * 1024);
  const store = JSON.stringify(join(stateDir, 'nats'));
  writeFileSync(
    path,
    `include ${JSON.stringify(base)}\njetstream { store_dir: ${store}, max_file_store: ${megabytes}MB }\n`,
  );
  return path;
}

function dockerArguments(image, { port, stateDir }) {
  const folder = join(stateDir, 'nats');
  mkdirSync(folder, { recursive: true });
  const config = join(root, 'deploy', 'nats.conf');
  return [
    'run',
    '--rm',
    ...['--publish', `127.0.0.1:${port}:4222`],
    ...['--env', HEAP_LIMIT],
    ...['--volume', `${folder}:/data`],
    ...['--volume', `${config}:/etc/openclaw-rl/nats.conf:ro`],
    image,
    ...['-c', '/etc/openclaw-rl/nats.conf', '-sd', '/data', '-a', '0.0.0.0', '-p', '4222'],
  ];
}

/** An app of this repository. */
export function appSpec(app, { name = app, env }) {
  return nodeSpec(name, [builtApp(app, 'main')], env);
}

/** A stand-in for an engine, with scripted answers. */
export function engineDoubleSpec(port) {
  const file = join(root, 'dist', 'libs', 'testing', 'src', 'engine-double.main.js');
  return { ...nodeSpec('engine-double', [file, '--port', String(port)], process.env), ready: /listening on (\S+)/ };
}

/** A Node program that ends with its parent. */
export function nodeSpec(name, args, env) {
  return {
    name,
    command: projectNode(),
    args: ['--require', join(root, 'scripts', 'lib', 'end-with-parent.cjs'), ...args],
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    ready: /\bready\b(?: on (http\S+))?/,
  };
}
