import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { until } from '@app/testing';

const ROOT = join(__dirname, '../..');
const LONGEST_MS = 280_000;
const execute = promisify(execFile);

interface Curve {
  readonly scores: readonly { readonly score: number; readonly right: number; readonly preferred: number }[];
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const curveOf = (): Curve => JSON.parse(readFileSync(join(folder, 'score.json'), 'utf8')) as Curve;
const demo = (...options: string[]): string[] => ['scripts/demo.mjs', '--out', folder, ...options];

describe('npm run demo', () => {
  jest.setTimeout(LONGEST_MS);

  it('gives the same curve for a seed, in lockstep, and shows what has changed', async () => {
    const options = demo('--updates', '2', '--seed', '3', '--lockstep');
    const { stdout } = await execute(process.execPath, options, { cwd: ROOT });
    const first = curveOf();
    expect(first.scores).toHaveLength(3);
    await execute(process.execPath, options, { cwd: ROOT });
    expect(curveOf()).toEqual(first);

    expect(stdout.match(/^update +\d of 2 +score \d\.\d\d/gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}before: \S/gm)).toHaveLength(3);
    expect(stdout.match(/^ {2}after: {2}\S/gm)).toHaveLength(3);
    expect(stdout.match(/^ {10}\((right|WRONG), (not )?as wanted\)$/gm)).toHaveLength(6);
    expect(stdout).toMatch(/votes \+1: [1-9]\d*, -1: [1-9]\d*, 0: \d+; hints: [1-9]/);
    expect(stdout).toMatch(/^(It did not collapse|IT COLLAPSED): right 0\.\d\d before.*; entropy 0\.\d\d before/m);
    expect(readFileSync(join(folder, 'score.svg'), 'utf8')).toContain('<polyline');
  });

  it('goes on from the last version when engine and trainer are killed', async () => {
    const child = spawn(process.execPath, demo('--updates', '3'), { cwd: ROOT, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.on('data', (data: Buffer) => (output += data.toString()));
    const ended = once(child, 'close');
    try {
      await until(() => output.includes('update  1 of 3'), { what: 'the first update', timeoutMs: 120_000 });
      for (const app of ['pocket-engine', 'trainer']) process.kill(pidBelow(child.pid ?? 0, `apps/${app}/`), 'SIGKILL');
      expect(await ended).toEqual([0, null]);
    } finally {
      child.kill('SIGTERM');
    }
    expect(output.match(/^update +\d of 3 +score/gm)).toHaveLength(4);
    const [before, ...after] = curveOf().scores;
    for (const { right } of after) expect(right).toBeGreaterThan(before!.right - 0.1);
  });
});

/** A process somewhere below another one, by a part of its command. */
function pidBelow(root: number, command: string): number {
  const all = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .map(([pid, parent, ...args]) => ({ pid: Number(pid), parent: Number(parent), args: args.join(' ') }));
  const isBelow = (parent: number): boolean =>
    parent === root || all.some((each) => each.pid === parent && each.parent !== 0 && isBelow(each.parent));
  const found = all.find(({ parent, args }) => args.includes(command) && isBelow(parent));
  if (found === undefined) throw new Error(`${command} does not run`);
  return found.pid;
}
