import { HYBRID } from '../crash/hybrid';
import { Killer } from '../crash/kills';
import { Run, report } from '../crash/run';

/** The short crash run: a fixed seed, real processes, kill -9 every two seconds. `npm run test:crash` is the long one. */
const SHORT = { clients: 8, thinkMs: 2500 };
const TIMES = { everyMs: [1000, 2000], downMs: [200, 800] } as const;

describe('kill -9, again and again', () => {
  it('leaves every answer with one outcome where rewards and hints train', async () => {
    const stack = { idleS: 12, ...HYBRID.stack };
    const run = await Run.start({ ...SHORT, ...HYBRID, seed: 20_261_201, turns: 32, stack });
    try {
      const killer = new Killer(run.stack, run.random.fork(), run.say);
      const targets = ['opd-teacher', 'sample-submitter', 'prm-judge', 'opd-teacher', 'nats'] as const;
      const result = await run.finish(({ stopClients }) => killer.run({ targets, ...TIMES }, stopClients));
      run.say(`\n${report(result)}`);
      expect(result.violations).toEqual([]);
      expect(result.counts['finished main: sample -1 with a teacher']).toBeGreaterThan(0);
    } finally {
      await run.close();
    }
  }, 400_000);

  it('leaves every finished answer with exactly one outcome, and every sample trained on once', async () => {
    const run = await Run.start({
      ...SHORT,
      seed: 20_261_130,
      turns: 40,
      stack: { idleS: 12 },
    });
    try {
      const killer = new Killer(run.stack, run.random.fork(), run.say);
      const result = await run.finish(({ stopClients }) =>
        killer.run(
          {
            targets: ['prm-judge', 'gateway', 'session-tracker', 'nats', 'sample-submitter', 'gateway'],
            ...TIMES,
          },
          stopClients,
        ),
      );
      run.say(`\n${report(result)}`);
      expect(result.violations).toEqual([]);
      expect(result.counts['finished main: sample +1']).toBeGreaterThan(0);
      expect(result.counts['samples trained']).toBeGreaterThan(10);
    } finally {
      await run.close();
    }
  }, 400_000);
});
