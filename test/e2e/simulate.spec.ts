import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

const ROOT = join(__dirname, '../..');

const simulate = (...options: string[]) =>
  spawnSync(process.execPath, ['scripts/simulate.mjs', ...options], { cwd: ROOT, encoding: 'utf8' });

/** What programs read. */
const numbersOf = (...options: string[]) => JSON.parse(simulate('--json', ...options).stdout);

describe('npm run simulate', () => {
  it.each([
    ['--users', '0', 'a whole number from 1 to 1000000000'],
    ['--peak', '20', 'a number from 1 to 10'],
    ['--judges', '1.5', 'a whole number from 1 to 100000'],
    ['--seed', '', 'a whole number from 0 to 1000000000'],
  ])('refuses %s %j', (option, value, allowed) => {
    const { status, stderr } = simulate(option, value);
    expect([status, stderr]).toEqual([
      1,
      expect.stringContaining(`${option} is ${JSON.stringify(value)}; allowed: ${allowed}`),
    ]);
  });

  it('says how long turns wait for each number of judges, with and without an outage', () => {
    const { demand, trials } = numbersOf('--users', '2000', '--hours', '15');
    const judges = trials.map(({ judges: count }: { judges: number }) => count);
    expect(judges).toEqual([
      ...new Set([Math.ceil(demand.gpus.judge * 0.7), demand.gpus.judge, 2 * demand.gpus.judge]),
    ]);
    for (const { normal, broken } of trials) {
      expect(broken.turns).toBe(normal.turns);
      expect(broken.judge.done).toBe(broken.judge.arrived);
      // Ten minutes of turns are there at its end, and the first of them has waited as long.
      const came = 600 * demand.turnsPerSecond * 0.9;
      expect(broken.judge.waiting.most / came).toBeGreaterThan(0.8);
      expect(broken.judge.wait.most).toBeGreaterThan(595);
      expect(normal.judge.wait.most).toBeLessThan(100);
    }
    const recoveries = trials.map((trial: { broken: { recoverySeconds: number } }) => trial.broken.recoverySeconds);
    expect(recoveries).toEqual([...recoveries].sort((a, b) => b - a));
  });

  it('does what its options say', () => {
    const short = ['--users', '1000', '--hours', '2', '--outage', '0'];
    const [plain, alone, busy, large] = [
      numbersOf(...short),
      numbersOf(...short, '--judges', '3', '--teachers', '0'),
      numbersOf(...short, '--turns', '300', '--seed', '2'),
      numbersOf(...short, '--batch', '5', '--shared', '--peak', '1', '--failing', '0.5'),
    ];
    expect(plain.trials[0].broken).toBeNull();
    expect(alone.trials.map(({ judges }: { judges: number }) => judges)).toEqual([3]);
    expect(alone.trials[0].normal.teacher.arrived).toBe(0);
    expect(busy.demand.turnsPerDay).toBe(300_000);
    expect(busy.trials[0].normal.turns).toBeGreaterThan(2 * plain.trials[0].normal.turns);
    expect(large.plan.failingShare).toBe(0.5);
    expect([large.plan.load.batch, large.plan.sharesGpus, large.plan.load.peakFactor]).toEqual([5, true, 1]);
  });

  it('draws a day for people', () => {
    const { stdout, status } = simulate('--users', '50', '--judges', '1');
    expect(status).toBe(0);
    expect(stdout).toContain('50 users in 1 cluster. One cluster:');
    expect(stdout).toMatch(/█/);
    expect(stdout).toMatch(/0 h +6 h +12 h +18 h/);
  });
});
