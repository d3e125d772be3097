import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '..');

const TICKS_PER_SECOND = 100;

/** CPU that a process has used, in seconds, and its resident memory in MiB. */
export function usageOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND,
    memoryMib: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024,
  };
}

const running = new Set();

/** Starts a process and resolves with what `ready` captures in its output: `value` the first, `values` all. */
export async function startProcess(command, args, { env = {}, ready }) {
  const child = spawn(command, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(child);
  let output = '';
  const match = await new Promise((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (data) => {
        output = (output + data).slice(-20_000);
        const found = ready.exec(output);
        if (found) resolve(found);
      });
    }
    child.once('exit', (code) => {
      running.delete(child);
      reject(new Error(`${args[0]} ended with ${code}:\n${output}`));
    });
  });
  return { pid: child.pid, value: match[1], values: match.slice(1), stop: () => stop(child) };
}

async function stop(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

/** Ends everything that still runs. */
export async function stopAll() {
  await Promise.all([...running].map(stop));
}

/** Runs a script to its end and parses the JSON line that it prints. */
export async function runJson(script, options) {
  const child = spawn(process.execPath, [join(import.meta.dirname, script), JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  running.add(child);
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  const [code] = await once(child, 'exit');
  running.delete(child);
  if (code !== 0) throw new Error(`${script} ended with ${code}`);
  return JSON.parse(output);
}
