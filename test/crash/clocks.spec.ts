import type { Run } from './run';
import { scenario } from './scenario';
import { pause } from './waiting';

const HOUR_MS = 3_600_000;

const jump = (run: Run, app: Parameters<Run['stack']['of']>[0], byMs: number): void => {
  const service = run.stack.of(app)[0]!;
  run.say(`the clock of ${service.name} is ${byMs / 1000} s off`);
  service.setClock(byMs);
};

const eachOnce = ({ ledger }: Run): void => {
  expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
  expect(ledger.ended('refused').map(({ note }) => note)).toEqual([]);
};

describe('a clock that jumps', () => {
  scenario('forth and back on judges, trackers and doors: every outcome is as it should be', {
    options: ({ turns }) => ({ turns: Math.min(turns, 100), thinkMs: 2500 }),
    trouble: async (run) => {
      for (const byMs of [HOUR_MS, -HOUR_MS, 0]) {
        await pause(6000, run.stopClients);
        for (const app of ['session-tracker', 'prm-judge', 'sample-submitter'] as const) jump(run, app, byMs);
      }
    },
    check: (_result, run) => {
      eachOnce(run);
    },
  });

  scenario('on the only gateway, forth: every outcome is as it should be', {
    options: ({ turns }) => ({ turns: Math.min(turns, 100), stack: { idleS: 15, replicas: { gateway: 1 } } }),
    trouble: async (run) => {
      for (const byMs of [60_000, HOUR_MS, 48 * HOUR_MS]) {
        await pause(4000, run.stopClients);
        jump(run, 'gateway', byMs);
      }
    },
    check: (_result, run) => {
      eachOnce(run);
    },
  });

  // A request that seems older than the answer it continues is not paired with it: what follows what is told by time as well.
  scenario('back on one of two gateways: every turn still has exactly one outcome, at worst no_next_state', {
    options: ({ turns }) => ({ turns: Math.min(turns, 100), stack: { idleS: 15 }, allowed: ['no_next_state'] }),
    trouble: async (run) => {
      for (const byMs of [-HOUR_MS, HOUR_MS, -60_000, 0]) {
        await pause(4000, run.stopClients);
        jump(run, 'gateway', byMs);
      }
    },
    check: ({ counts }, run) => {
      eachOnce(run);
      expect(counts['finished main: sample +1']).toBeGreaterThan(0);
    },
  });
});
