import { spawn } from 'node:child_process';
import { root } from './project.mjs';

/**
 * Runs a command to its end and returns its exit code, 127 if it cannot be started. Its output passes through, or, with
 * `quiet`, is collected and shown only if it fails, and not even then if it `mayFail`. `stdout: 'ignore'` drops what programs
 * were to read. Signals in `forward` end the command, and only with it this process.
 */
export function run(command, args, options = {}) {
  const { env = process.env, quiet = false, mayFail = false, cwd = root, stdout = 'inherit', forward = [] } = options;
  return new Promise((resolve) => {
    const output = [];
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', quiet ? 'pipe' : stdout, quiet ? 'pipe' : 'inherit'],
    });
    child.stdout?.on('data', (chunk) => output.push(chunk));
    child.stderr?.on('data', (chunk) => output.push(chunk));
    const pass = (signal) => child.kill(signal);
    for (const signal of forward) process.on(signal, pass);
    const finish = (code) => {
      for (const signal of forward) process.removeListener(signal, pass);
      if (code !== 0 && !mayFail) process.stderr.write(Buffer.concat(output));
      resolve(code);
    };
    child.once('error', () => finish(127));
    child.once('close', (code) => finish(code ?? 1));
  });
}

const ENDINGS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command as `run` does, its standard output dropped, and returns its exit code, or null if it took longer than
 * `timeoutMs`: then it is killed, and so is whatever it started. A signal that ends this process ends all of that as well.
 */
export function runWithin(timeoutMs, command, args, env) {
  return new Promise((resolve) => {
    // A group of its own can be killed whole, and gets no Ctrl-C from the terminal.
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'], detached: true });
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      killGroup(child);
    }, timeoutMs);
    const onSignal = () => {
      killGroup(child);
      process.exit(130);
    };
    const finish = (code) => {
      clearTimeout(timer);
      for (const signal of ENDINGS) process.removeListener(signal, onSignal);
      resolve(isLate ? null : code);
    };
    for (const signal of ENDINGS) process.once(signal, onSignal);
    child.once('error', () => finish(127));
    child.once('exit', (code) => finish(code ?? 1));
  });
}

function killGroup({ pid }) {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // It is gone already.
  }
}

/** What a command prints on standard output; what else it says is dropped, and so is how it ends. */
export function capture(command, args, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] });
    const output = [];
    child.stdout.on('data', (chunk) => output.push(chunk));
    child.once('error', () => resolve(''));
    child.once('close', () => resolve(Buffer.concat(output).toString()));
  });
}

/** Whether a command ends with code 0 within a time; its output is dropped. */
export function succeeds(command, args, timeoutMs, env = process.env) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { env, stdio: 'ignore', timeout: timeoutMs, killSignal: 'SIGKILL' });
    child.once('error', () => resolve(false));
    child.once('exit', (code) => resolve(code === 0));
  });
}
