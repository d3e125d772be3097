import { APPS } from './service';
import { scenario } from './scenario';
import { pause } from './waiting';

/** A container gets no longer before it is killed. */
const DRAIN_MS = 20_000;

describe('an end in order', () => {
  const ends: { name: string; code: number | null; millis: number }[] = [];

  scenario('by SIGTERM of every service under load: in time, and nothing is lost', {
    options: ({ turns }) => ({ turns: Math.min(turns, 160) }),
    trouble: async ({ stack, say, stopClients }) => {
      for (let i = 0; i < 2; i += 1) {
        for (const app of APPS) {
          await pause(1500, stopClients);
          const service = stack.of(app)[i]!;
          const { code, millis } = await service.stop();
          ends.push({ name: service.name, code, millis });
          say(`SIGTERM ${service.name}: ended with ${String(code)} after ${millis} ms`);
          service.start();
          await service.whenUp();
        }
      }
    },
    check: ({ counts }, { ledger }) => {
      expect(ends.filter(({ millis }) => millis > DRAIN_MS)).toEqual([]);
      expect(ledger.ended('broken').map(({ note }) => note)).toEqual([]);
      expect(
        Object.keys(counts).filter(
          (what) => /gateway_lost|unrecorded|turn_lost|undelivered$/.test(what) && !what.includes('abandoned'),
        ),
      ).toEqual([]);
    },
  });
});
