import { Killer, killPlan, TARGETS } from './kills';
import { crashOptions } from './options';
import { scenario } from './scenario';

describe('kill -9', () => {
  const counts = new Map<string, number>();

  scenario('of every service and of NATS, again and again', {
    trouble: async ({ stack, random, say, stopClients }) => {
      const source = random.fork();
      const killer = new Killer(stack, source, say);
      const plan = killPlan(source, crashOptions().kills, { everyMs: [1500, 3500], downMs: [200, 2000] });
      await killer.run(plan, stopClients);
      for (const [target, count] of killer.counts) counts.set(target, count);
    },
    check: ({ counts: found }) => {
      for (const target of TARGETS) expect(counts.get(target)).toBeGreaterThanOrEqual(crashOptions().kills);
      for (const reason of ['not_judged', 'turn_lost', 'queue_full', 'dead_letter', 'upstream_error']) {
        expect(Object.keys(found).filter((what) => what.endsWith(`: ${reason}`))).toEqual([]);
      }
    },
  });
});
