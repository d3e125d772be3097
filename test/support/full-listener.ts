import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A server that is full: connections to it are neither accepted nor refused. */
export interface FullListener {
  readonly url: string;
  stop(): void;
}

/** Listens, and never accepts anything again: the system keeps as many connections as its queue holds, and no more. */
const LISTENER = `
  const { writeSync } = require('node:fs');
  const server = require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    writeSync(1, String(server.address().port));
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  });
`;

/** More than any queue of backlog 1 takes. */
const CALLERS = 8;

export const startFullListener = async (): Promise<FullListener> => {
  const child = spawn(process.execPath, ['-e', LISTENER], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [data] = (await once(child.stdout, 'data')) as [Buffer];
  const port = Number(data.toString());
  const callers: Socket[] = [];
  for (let count = 0; count < CALLERS; count += 1)
    callers.push(connect(port, '127.0.0.1').on('error', () => undefined));
  await once(callers[0]!, 'connect');
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      for (const caller of callers) caller.destroy();
      child.kill('SIGKILL');
    },
  };
};
