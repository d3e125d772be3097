import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findProgram } from '../lib/nats.mjs';
import { Problem } from '../lib/problem.mjs';
import { capture, run, succeeds } from '../lib/run.mjs';
import { OLDEST_COMPOSE } from './find-compose.mjs';

const PACKAGES = ['docker.io', 'mmdebstrap', 'iptables', 'iproute2'];
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';
const START_MS = 60_000;
const STOP_MS = 30_000;
// Debian's own client, whatever stands before it in the path.
const DEBIAN_PATH = '/usr/sbin:/usr/bin:/sbin:/bin';

/** Why no engine of our own can be run here, or null. */
export async function whyNoPrivateDocker() {
  const none = `there is no Docker with Compose ${OLDEST_COMPOSE} or later`;
  if (process.getuid?.() !== 0) return `${none}, and only root can run one of its own`;
  if (findProgram('apt-get', process.env) === null) return `${none}, and no apt-get to install one with`;
  if (await succeeds('dpkg', ['-s', ...PACKAGES], 10_000)) return null;
  console.log("Installing Debian's Docker ...");
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const install = ['install', '--yes', '--quiet', '--no-install-recommends', ...PACKAGES];
  const isThere =
    (await run('apt-get', ['update', '--quiet'], { env, quiet: true })) === 0 &&
    (await run('apt-get', install, { env, quiet: true })) === 0;
  return isThere ? null : 'apt-get could not install docker.io';
}

/** A Docker daemon with all it has in one folder. What it changes of the machine's network is put back at its end. */
export class PrivateDocker {
  #folder;
  #daemon = null;

  constructor(folder) {
    this.#folder = folder;
    this.env = {
      ...process.env,
      PATH: DEBIAN_PATH,
      DOCKER_HOST: `unix://${join(folder, 'docker.sock')}`,
      DOCKER_CONFIG: join(folder, 'config'),
      DOCKER_BUILDKIT: '1',
    };
  }

  /** `plugin`: path of a Compose for its client. */
  async start(plugin) {
    const plugins = join(this.env.DOCKER_CONFIG, 'cli-plugins');
    mkdirSync(plugins, { recursive: true });
    symlinkSync(plugin, join(plugins, 'docker-compose'));
    await this.#noteNetwork();
    const log = openSync(join(this.#folder, 'dockerd.log'), 'a');
    const at = (name) => join(this.#folder, name);
    const args = [
      ...['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('dockerd.pid')],
      ...['--host', this.env.DOCKER_HOST, '--storage-driver', 'overlay2'],
    ];
    this.#daemon = spawn('dockerd', args, { env: this.env, stdio: ['ignore', log, log], detached: true });
    this.#daemon.once('error', () => {});
    const until = Date.now() + START_MS;
    while (!(await succeeds('docker', ['info'], 5000, this.env))) {
      if (this.#daemon.exitCode !== null || Date.now() > until) {
        throw new Problem(`dockerd does not run here:\n${readFileSync(at('dockerd.log'), 'utf8').slice(-1500)}`);
      }
      await sleep(250);
    }
  }

  async stop() {
    const containers = (await capture('docker', ['ps', '--all', '--quiet'], this.env)).split('\n').filter(Boolean);
    if (containers.length > 0) await run('docker', ['rm', '--force', ...containers], { env: this.env, quiet: true });
    await run('docker', ['network', 'prune', '--force'], { env: this.env, quiet: true });
    await this.#endDaemon();
    await run('ip', ['link', 'delete', 'docker0'], { env: this.env, quiet: true, mayFail: true });
    await this.#restoreNetwork();
    const mounts = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .map((line) => line.split(' ')[1] ?? '');
    for (const mount of mounts.filter((path) => path.startsWith(`${this.#folder}/`)).reverse()) {
      await run('umount', ['--lazy', mount], { env: this.env, quiet: true, mayFail: true });
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 3 });
  }

  async #endDaemon() {
    if (this.#daemon === null || this.#daemon.exitCode !== null) return;
    const ended = once(this.#daemon, 'exit');
    this.#daemon.kill('SIGTERM');
    const timer = setTimeout(() => this.#daemon.kill('SIGKILL'), STOP_MS);
    await ended;
    clearTimeout(timer);
  }

  async #noteNetwork() {
    writeFileSync(join(this.#folder, 'forwarding'), readFileSync(FORWARDING, 'utf8'));
    for (const tool of ['iptables', 'ip6tables']) {
      writeFileSync(join(this.#folder, tool), await capture(`${tool}-save`, [], this.env));
    }
  }

  async #restoreNetwork() {
    for (const tool of ['iptables', 'ip6tables']) {
      const saved = readFileSync(join(this.#folder, tool), 'utf8');
      // A table that did not exist before is emptied: restoring would leave it as it is.
      for (const table of ['filter', 'nat', 'mangle', 'raw']) {
        if (saved.includes(`*${table}`)) continue;
        for (const flag of ['-F', '-X']) {
          await run(tool, ['-t', table, flag], { env: this.env, quiet: true, mayFail: true });
        }
      }
      await run(`${tool}-restore`, [join(this.#folder, tool)], { env: this.env, quiet: true, mayFail: true });
    }
    // Docker closes forwarding; where there was no filter before, the restored file does not say that it was open.
    if (!readFileSync(join(this.#folder, 'iptables'), 'utf8').includes('*filter')) {
      await run('iptables', ['-P', 'FORWARD', 'ACCEPT'], { env: this.env, quiet: true, mayFail: true });
    }
    if (existsSync(FORWARDING)) writeFileSync(FORWARDING, readFileSync(join(this.#folder, 'forwarding'), 'utf8'));
  }
}
