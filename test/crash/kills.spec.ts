import { HYBRID } from './hybrid';
import { Killer, killPlan, targetsOf, type Target } from './kills';
import { crashOptions } from './options';
import { scenario, type Scenario } from './scenario';

/** Kills everything that runs as often as was asked for, and holds that nothing was lost by it. */
const killing = (options?: Scenario['options']): Scenario => {
  const counts = new Map<Target, number>();
  return {
    ...(options === undefined ? {} : { options }),
    trouble: async ({ stack, random, say, stopClients }) => {
      const source = random.fork();
      const killer = new Killer(stack, source, say);
      const times = { targets: targetsOf(stack), everyMs: [1500, 3500], downMs: [200, 2000] } as const;
      await killer.run(killPlan(source, crashOptions().kills, times), stopClients);
      for (const [target, count] of killer.counts) counts.set(target, count);
    },
    check: ({ counts: found }, { stack }) => {
      for (const target of targetsOf(stack)) expect(counts.get(target)).toBeGreaterThanOrEqual(crashOptions().kills);
      for (const reason of ['not_judged', 'no_teacher', 'turn_lost', 'queue_full', 'dead_letter', 'upstream_error']) {
        expect(Object.keys(found).filter((what) => what.endsWith(`: ${reason}`))).toEqual([]);
      }
    },
  };
};

describe('kill -9', () => {
  scenario('of every service and of NATS, again and again', killing());

  scenario(
    'of every service, the hint teacher among them, with rewards and hints',
    killing(() => ({ ...HYBRID, stack: { idleS: 25, ...HYBRID.stack } })),
  );
});
