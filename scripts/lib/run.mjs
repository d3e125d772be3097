import { spawn } from 'node:child_process';
import { root } from './project.mjs';

/**
 * Runs a command to its end and returns its exit code, 127 if it cannot be started. Its output passes through, or, with
 * `quiet`, is collected and shown only if it fails. `stdout: 'ignore'` drops what programs were to read.
 */
export function run(command, args, { env = process.env, quiet = false, cwd = root, stdout = 'inherit' } = {}) {
  return new Promise((resolve) => {
    const output = [];
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', quiet ? 'pipe' : stdout, quiet ? 'pipe' : 'inherit'],
    });
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    const finish = (code) => {
      if (code !== 0) process.stderr.write(Buffer.concat(output));
      resolve(code);
    };
    child.once('error', () => finish(127));
    child.once('close', (code) => finish(code ?? 1));
  });
}

/** Whether a command ends with code 0 within a time; its output is dropped. */
export function succeeds(command, args, timeoutMs) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
