import fc from 'fast-check';
import type { Bus, Listed, Stored } from '@app/bus';
import { Settings } from '@app/config';
import type { OutcomeDocument } from '@app/contracts';
import { applyChanges, weighTurns, type DueTurn, type OutcomeChange } from './outcome-state';
import { SessionOutcomes } from './session-outcomes';

const SESSION = 'session';
/** Far in the future, so that no wait is over before the end of the test. */
const START = Date.now() + 1e9;
const LATER = START + 1e9;
const WAIT_MS = 1000 * new Settings().reward.outcomeWaitS;

/** Thrown in the middle of things: the process is gone, its message comes again. */
class CrashError extends Error {
  override readonly name = 'CrashError';
}

/** Documents and outcomes of turns as all replicas see them. Every operation is a chance to crash. */
class World {
  readonly settled = new Map<string, number | null>();
  private readonly stored = new Map<string, { value: OutcomeDocument; revision: number }>();
  private revision = 0;
  private readonly replicas = [this.replica(), this.replica()];

  /** @param crashes whether the next operation is a process's last one */
  constructor(private readonly crashes: () => boolean) {}

  get waiting(): number {
    return [...this.stored.values()].reduce((sum, { value }) => sum + Object.keys(value.turns).length, 0);
  }

  /** Delivers events, some at once, to any replica; what a crash interrupts comes again. */
  async deliver(events: readonly OutcomeChange[][], atOnce: number): Promise<void> {
    const queue = [...events];
    while (queue.length > 0) {
      const hands = queue.splice(0, atOnce).map(async (changes, i) => {
        try {
          await this.replicas[i % 2]!.apply(SESSION, changes);
        } catch (error) {
          if (!(error instanceof CrashError)) throw error;
          queue.push(changes);
        }
      });
      await Promise.all(hands);
    }
  }

  /** Sweeps until nobody waits any more, a bounded number of times. */
  async sweep(now: number): Promise<void> {
    for (let tries = 0; tries < 100 && this.waiting > 0; tries += 1) {
      for (const key of this.stored.keys()) {
        await this.replicas[tries % 2]!.look(key, now).catch((error: unknown) => {
          if (!(error instanceof CrashError)) throw error;
        });
      }
    }
  }

  private async operation(): Promise<void> {
    await Promise.resolve();
    if (this.crashes()) throw new CrashError('killed');
  }

  private replica(): SessionOutcomes {
    const get = async (key: string): Promise<Stored<OutcomeDocument> | null> => {
      await this.operation();
      const found = this.stored.get(key);
      return found === undefined ? null : { ...structuredClone(found), writtenAt: START };
    };
    const documents = {
      get,
      recall: () => null,
      list: (): Promise<readonly Listed[]> => Promise.resolve([]),
      update: async (
        key: string,
        change: (doc: OutcomeDocument | null) => { next: OutcomeDocument | null; result: unknown },
      ) => {
        for (;;) {
          const before = await get(key);
          const { next, result } = change(before?.value ?? null);
          if (next === null) return result;
          await this.operation();
          if ((this.stored.get(key)?.revision ?? 0) !== (before?.revision ?? 0)) continue;
          this.stored.set(key, { value: next, revision: ++this.revision });
          await this.operation();
          return result;
        }
      },
    };
    const settleWaiting = async (_session: string, { turnId, outcome }: DueTurn): Promise<void> => {
      await this.operation();
      // The message is its own guard.
      if (!this.settled.has(turnId)) this.settled.set(turnId, outcome);
      await this.operation();
    };
    const settings = new Settings();
    Object.assign(settings.reward, { integrated: true });
    const bus = { documents: () => Promise.resolve(documents) } as unknown as Pick<Bus, 'documents' | 'bucket'>;
    return new SessionOutcomes(bus, settings, { settleWaiting });
  }
}

const TIME = fc.integer({ min: 0, max: 100 });
const EVENTS = fc.record({
  arrivals: fc.array(TIME, { minLength: 1, maxLength: 6 }),
  said: fc.array(TIME, { maxLength: 3 }),
  ends: fc.uniqueArray(TIME, { maxLength: 3 }),
});

describe('turns that wait for the outcome of their session', () => {
  it('are each settled with an outcome of it, whatever the order, the repetitions and the crashes', async () => {
    await fc.assert(
      fc.asyncProperty(
        EVENTS,
        fc.infiniteStream(fc.nat(1 << 20)),
        fc.integer({ min: 1, max: 5 }),
        async ({ arrivals, said, ends }, numbers, atOnce) => {
          const draw = (below: number): number => (numbers.next().value as number) % below;
          const events: OutcomeChange[][] = [
            ...arrivals.map((at, i) => [{ kind: 'waits', turnId: `t${i}`, arrivedAt: START + at } as const]),
            ...said.map((at, i) => [{ kind: 'said', by: `f${i}`, at: START + at, outcome: i + 1 } as const]),
            ...ends
              .toSorted((a, b) => a - b)
              .map((at, i, all) => {
                const since = i === 0 ? 0 : START + all[i - 1]!;
                const end = { incarnation: i + 1, since, through: START + at, endedAt: START + at, outcome: -1 - i };
                return [{ kind: 'ended', end } as const];
              }),
          ];
          const queue = events.flatMap((event) => (draw(3) === 0 ? [event, event] : [event]));
          const shuffled = queue.map((event) => ({ event, at: draw(1000) })).sort((a, b) => a.at - b.at);
          const world = new World(() => draw(12) === 0);
          await world.deliver(
            shuffled.map(({ event }) => event),
            atOnce,
          );
          // Also those whose session never ended: the bucket must not forget them.
          await world.sweep(LATER);
          expect([...world.settled.keys()].sort()).toEqual(arrivals.map((_, i) => `t${i}`).sort());
          expect(world.waiting).toBe(0);
          const whole = weighTurns(applyChanges(null, events.flat()), {
            now: LATER,
            waitMs: WAIT_MS,
            hasGivenUp: true,
          });
          for (const { turnId, outcome } of whole.due) {
            // What was said earliest may come in latest. Another incarnation's end never counts.
            const arrivedAt = arrivals[Number(turnId.slice(1))]!;
            const end = ends.toSorted((a, b) => a - b).findIndex((through) => arrivedAt <= through);
            const words = [...said.map((_, i) => i + 1), ...(end < 0 ? [] : [-1 - end])];
            if (words.length < 2) expect(world.settled.get(turnId)).toBe(outcome);
            else expect([...words, null]).toContain(world.settled.get(turnId));
          }
        },
      ),
      { numRuns: 300 },
    );
  });
});
