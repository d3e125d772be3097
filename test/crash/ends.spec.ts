import { HYBRID } from './hybrid';
import { APPS } from './service';
import type { Result, Run } from './run';
import { scenario } from './scenario';
import { pause } from './waiting';

/** A container gets no longer before it is killed. */
const DRAIN_MS = 20_000;

interface End {
  readonly name: string;
  readonly code: number | null;
  readonly millis: number;
}

/** Ends the first so many replicas of each service one after the other, and starts each again before the next one ends. */
const restartAll = async ({ stack, say, stopClients }: Run, most: number, ends: End[]): Promise<void> => {
  for (let i = 0; i < most; i += 1) {
    for (const app of APPS) {
      const service = stack.of(app)[i];
      if (service === undefined) continue;
      await pause(1500, stopClients);
      const { code, millis } = await service.stop();
      ends.push({ name: service.name, code, millis });
      say(`SIGTERM ${service.name}: ended with ${String(code)} after ${millis} ms`);
      service.start();
      await service.whenUp();
    }
  }
};

const inTimeAndNothingLost = ({ counts }: Result, { ledger }: Run, ends: readonly End[]): void => {
  expect(ends.filter(({ millis }) => millis > DRAIN_MS)).toEqual([]);
  expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
  expect(
    Object.keys(counts).filter(
      (what) => /gateway_lost|unrecorded|turn_lost|undelivered$/.test(what) && !what.includes('abandoned'),
    ),
  ).toEqual([]);
};

describe('an end in order', () => {
  const ends: End[] = [];

  beforeEach(() => {
    ends.length = 0;
  });

  scenario('by SIGTERM of every service under load: in time, and nothing is lost', {
    options: ({ turns }) => ({ turns: Math.min(turns, 160) }),
    trouble: (run) => restartAll(run, 2, ends),
    check: (result, run) => {
      inTimeAndNothingLost(result, run, ends);
    },
  });

  scenario('of every replica in turn, three gateways behind a round-robin and up to four of each service', {
    options: () => ({
      ...HYBRID,
      balanced: true,
      thinkMs: 5000,
      stack: {
        ...HYBRID.stack,
        idleS: 45,
        replicas: { gateway: 3, 'session-tracker': 2, 'prm-judge': 4, 'opd-teacher': 2, 'sample-submitter': 2 },
      },
    }),
    trouble: (run) => restartAll(run, 4, ends),
    check: (result, run) => {
      expect(ends).toHaveLength(13);
      inTimeAndNothingLost(result, run, ends);
    },
  });
});
