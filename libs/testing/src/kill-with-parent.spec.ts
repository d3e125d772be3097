import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { runInThisContext } from 'node:vm';
import { killWithParent } from './kill-with-parent';

/** The process itself, and not the copy that Jest shows its tests. */
const parent = runInThisContext('process') as NodeJS.Process;

const startChild = (): ChildProcess => {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  killWithParent(child);
  return child;
};

describe('killWithParent', () => {
  it('kills what still runs when this process ends, by one listener that goes with the last child', async () => {
    const before = parent.listeners('exit');
    const children = [1, 2, 3].map(startChild);
    const added = parent.listeners('exit').filter((listener) => !before.includes(listener));
    expect(added).toHaveLength(1);

    const ends = children.map((child) => once(child, 'exit'));
    children[0]!.kill('SIGTERM');
    expect(await ends[0]).toEqual([null, 'SIGTERM']);
    expect(parent.listeners('exit')).toContain(added[0]);
    added[0]!(0);
    expect(await Promise.all(ends.slice(1))).toEqual([
      [null, 'SIGKILL'],
      [null, 'SIGKILL'],
    ]);
    expect(parent.listeners('exit')).toEqual(before);
  });
});
