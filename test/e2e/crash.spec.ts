import { Killer } from '../crash/kills';
import { Run, report } from '../crash/run';

/** The short crash run: a fixed seed, real processes, kill -9 every two seconds. `npm run test:crash` is the long one. */
describe('kill -9, again and again', () => {
  it('leaves every finished answer with exactly one outcome, and every sample trained on once', async () => {
    const run = await Run.start({
      seed: 20_261_130,
      clients: 8,
      turns: 40,
      thinkMs: 2500,
      stack: { idleS: 12 },
    });
    try {
      const killer = new Killer(run.stack, run.random.fork(), run.say);
      const result = await run.finish(({ stopClients }) =>
        killer.run(
          {
            targets: ['prm-judge', 'gateway', 'session-tracker', 'nats', 'sample-submitter', 'gateway'],
            everyMs: [1000, 2000],
            downMs: [200, 800],
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
