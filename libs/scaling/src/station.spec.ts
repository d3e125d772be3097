import fc from 'fast-check';
import { seededRandom } from '@app/pocket-lm';
import { exponential } from './arrivals';
import { Simulator } from './simulator';
import { Station, type Job, type StationOptions, type StationReport } from './station';

// Hundreds of thousands of turns take a busy machine their time.
jest.setTimeout(120_000);

interface Visitor extends Job {
  readonly at: number;
}

interface Trial extends Partial<StationOptions<Visitor>> {
  /** What else happens, at which second. */
  readonly events?: readonly (readonly [number, (station: Station<Visitor>) => void])[];
}

/** Lets everybody come, and goes on until all have left. */
const visit = (visitors: readonly Visitor[], { events = [], ...options }: Trial = {}): StationReport => {
  const simulator = new Simulator();
  const station = new Station<Visitor>(simulator, { servers: 1, intervalSeconds: 10, ...options });
  for (const visitor of visitors) {
    simulator.at(visitor.at, () => {
      station.arrive(visitor);
    });
  }
  for (const [at, act] of events) {
    simulator.at(at, () => {
      act(station);
    });
  }
  simulator.run();
  return station.report();
};

const at = (...times: number[]): Visitor[] => times.map((time) => ({ at: time, seconds: 2 }));

describe('a station', () => {
  it('serves in the order of arrival, as many at once as it has servers', () => {
    // Begins: 0, 1, 2 (who came at 1 waits for the first one's end), 3.
    const { waits, waiting, busy, done } = visit(at(0, 1, 1, 1), { servers: 2 });
    expect(done).toBe(4);
    expect([waits.sum, waits.most]).toEqual([1 + 2, 2]);
    expect(waiting).toMatchObject({ area: 3, most: 2 });
    expect(busy).toMatchObject({ area: 8, most: 2 });
  });

  it('begins nothing while it is closed, and ends what runs', () => {
    const ends: number[] = [];
    const simulator = new Simulator();
    const options = { servers: 1, intervalSeconds: 10, done: () => ends.push(simulator.now) };
    const station = new Station<Visitor>(simulator, options);
    simulator.at(0, () => {
      station.arrive({ at: 0, seconds: 2 });
      station.arrive({ at: 0, seconds: 2 });
    });
    simulator.at(1, () => {
      station.close();
    });
    simulator.at(10, () => {
      station.open();
    });
    simulator.run();
    expect(ends).toEqual([2, 12]);
  });

  it('does anew, and first, what ran when it broke down', () => {
    const { waits, done, busy } = visit(at(0, 1), {
      events: [
        [
          1.5,
          (station) => {
            station.breakDown();
          },
        ],
        [
          20,
          (station) => {
            station.open();
          },
        ],
      ],
    });
    expect(done).toBe(2);
    // The first is begun again at 20, the second at 22.
    expect(waits.sum).toBeCloseTo(20 + 21, 9);
    expect(busy.area).toBeCloseTo(1.5 + 4, 9);
  });

  it('has what failed come back after its delay, in front of what has waited meanwhile', () => {
    const tries = [true, false, false];
    const retry = { fails: () => tries.shift() ?? false, delaySeconds: (deliveries: number) => deliveries };
    // First: 0 to 2, back at 3; second: 2 to 4; first again: 4 to 6; third: 6.
    const { waits, done, busy } = visit(at(0, 0.5, 1), { retry });
    expect(done).toBe(3);
    expect(waits.sum).toBeCloseTo(4 + 1.5 + 5, 9);
    expect(busy.area).toBe(8);
  });
});

describe('queueing theory', () => {
  const SEEDS = 10;
  const VISITORS = 15_000;

  /** Visitors by the dozen, one second of work each on average. */
  const poisson = (rate: number, seconds: (random: () => number) => number, seed: number): Visitor[] => {
    const random = seededRandom(seed);
    let time = 0;
    return Array.from({ length: VISITORS }, () => {
      time += exponential(random) / rate;
      return { at: time, seconds: seconds(random) };
    });
  };

  /** Mean wait over seeds, and the standard error of that. */
  const meanWait = (servers: number, rate: number, seconds: (random: () => number) => number) => {
    const means = Array.from(
      { length: SEEDS },
      (_, seed) => visit(poisson(rate, seconds, seed + 1), { servers }).waits.mean,
    );
    const mean = means.reduce((sum, each) => sum + each, 0) / SEEDS;
    const variance = means.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (SEEDS - 1);
    return { mean, error: Math.sqrt(variance / SEEDS) };
  };

  /** Erlang's C: the share of visitors who wait, for a load of `load` servers' worth of work. */
  const erlangC = (servers: number, load: number): number => {
    let blocked = 1;
    for (let n = 1; n <= servers; n += 1) blocked = (load * blocked) / (n + load * blocked);
    return (servers * blocked) / (servers - load * (1 - blocked));
  };

  // 99.7 % of means lie within three standard errors; those are at most 7 % of the wait itself here.
  it.each([
    [1, 0.7],
    [2, 1.6],
    [8, 7],
  ])('is met by M/M/%d at %d arrivals a second', (servers, rate) => {
    const expected = erlangC(servers, rate) / (servers - rate);
    const { mean, error } = meanWait(servers, rate, exponential);
    expect(error / expected).toBeLessThan(0.07);
    expect(Math.abs(mean - expected)).toBeLessThan(3 * error);
  });

  it.each([0.5, 0.8])('is met by M/D/1 at %d arrivals a second', (rate) => {
    const expected = rate / (2 * (1 - rate));
    const { mean, error } = meanWait(1, rate, () => 1);
    expect(error / expected).toBeLessThan(0.07);
    expect(Math.abs(mean - expected)).toBeLessThan(3 * error);
  });
});

describe('whoever comes', () => {
  const visitors = fc
    .array(
      fc.record({
        gap: fc.double({ min: 0, max: 5, noNaN: true }),
        seconds: fc.double({ min: 0.01, max: 20, noNaN: true }),
      }),
      { minLength: 1, maxLength: 60 },
    )
    .map((list) => {
      let time = 0;
      return list.map(({ gap, seconds }) => ({ at: (time += gap), seconds }));
    });

  it('leaves, work is neither made nor lost, and what waits over time is what all have waited (Little)', () => {
    fc.assert(
      fc.property(visitors, fc.integer({ min: 1, max: 5 }), (list, servers) => {
        const { arrived, done, waiting, busy, waits } = visit(list, { servers });
        expect([arrived, done]).toEqual([list.length, list.length]);
        expect(busy.area).toBeCloseTo(
          list.reduce((sum, { seconds }) => sum + seconds, 0),
          6,
        );
        expect(waiting.area).toBeCloseTo(waits.sum, 6);
        expect(busy.most).toBeLessThanOrEqual(servers);
      }),
    );
  });

  it('never waits longer with one server more', () => {
    fc.assert(
      fc.property(visitors, fc.integer({ min: 1, max: 4 }), (list, servers) => {
        const [fewer, more] = [visit(list, { servers }), visit(list, { servers: servers + 1 })];
        expect(more.waits.sum).toBeLessThanOrEqual(fewer.waits.sum + 1e-6);
        expect(more.waits.most).toBeLessThanOrEqual(fewer.waits.most + 1e-6);
        expect(more.waiting.most).toBeLessThanOrEqual(fewer.waiting.most);
      }),
    );
  });

  it('is served after any breakdown and closing that ends', () => {
    const pauses = fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 100, noNaN: true }),
        fc.double({ min: 0.1, max: 50, noNaN: true }),
        fc.boolean(),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(visitors, pauses, fc.integer({ min: 1, max: 3 }), (list, breaks, servers) => {
        const events = breaks.flatMap(([from, length, isOutage]) => [
          [
            from,
            (station: Station<Visitor>) => {
              if (isOutage) station.breakDown();
              else station.close();
            },
          ] as const,
          [
            from + length,
            (station: Station<Visitor>) => {
              station.open();
            },
          ] as const,
        ]);
        const { done, busy } = visit(list, { servers, events });
        expect(done).toBe(list.length);
        // What is done anew costs its time twice.
        expect(busy.area).toBeGreaterThanOrEqual(list.reduce((sum, { seconds }) => sum + seconds, 0) - 1e-6);
      }),
    );
  });
});
