import type { ChildProcess } from 'node:child_process';
import { runInThisContext } from 'node:vm';

type Child = Pick<ChildProcess, 'kill' | 'once'>;

/** Inside of Jest, `process` is a copy that never ends, and whose listeners nobody calls. */
const parent = runInThisContext('process') as NodeJS.Process;
const children = new Set<Child>();

const killAll = (): void => {
  for (const child of children) child.kill('SIGKILL');
};

/** Has a child killed when this process ends before it. One listener for all of them: a cluster has more than Node expects. */
export const killWithParent = (child: Child): void => {
  if (children.size === 0) parent.once('exit', killAll);
  children.add(child);
  child.once('exit', () => {
    children.delete(child);
    if (children.size === 0) parent.removeListener('exit', killAll);
  });
};
