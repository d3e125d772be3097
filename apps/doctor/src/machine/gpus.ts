import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import type { Environment } from '@app/config';

const WAIT_MS = 10_000;

/** NVIDIA's GPUs of this machine, and by what they were seen. */
export interface SeenGpus {
  readonly count: number;
  /** Why there are none, or by what they were counted. */
  readonly by: string;
}

interface Ended {
  readonly output: string;
  /** The system's code where it could not be started (`ENOENT`), its own exit code else; 0: it ended well. */
  readonly code: number | string;
}

const listGpus = (env: Environment): Promise<Ended> =>
  new Promise((resolve) => {
    execFile('nvidia-smi', ['-L'], { env: { ...env }, timeout: WAIT_MS }, (error, output, errors) => {
      resolve({ output: `${output}${errors}`, code: error === null ? 0 : (error.code ?? 'killed') });
    });
  });

/** Devices that the driver has made; a container has those that it was given. */
const countDevices = (): number => {
  try {
    return readdirSync('/dev').filter((name) => /^nvidia\d+$/.test(name)).length;
  } catch {
    return 0;
  }
};

/** Asks nvidia-smi; where there is none, counts /dev/nvidia0, 1, ... */
export const seeGpus = async (env: Environment): Promise<SeenGpus> => {
  const { output, code } = await listGpus(env);
  if (code === 'ENOENT') {
    const count = countDevices();
    return { count, by: count === 0 ? 'no nvidia-smi, no /dev/nvidia0' : '/dev/nvidia*' };
  }
  const count = output.split('\n').filter((line) => /^GPU \d+:/.test(line)).length;
  const [firstLine = ''] = output.trim().split('\n');
  return {
    count,
    by: count === 0 ? `nvidia-smi: ${firstLine === '' ? `ended with ${code}` : firstLine}` : 'nvidia-smi',
  };
};
