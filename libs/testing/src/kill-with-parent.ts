import type { ChildProcess } from 'node:child_process';

type Child = Pick<ChildProcess, 'kill' | 'once'>;

const children = new Set<Child>();

const killAll = (): void => {
  for (const child of children) child.kill('SIGKILL');
};

/** Has a child killed when this process ends before it. One listener for all of them: a cluster has more than Node expects. */
export const killWithParent = (child: Child): void => {
  if (children.size === 0) process.once('exit', killAll);
  children.add(child);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) process.removeListener('exit', killAll);
  });
};
