import fc from 'fast-check';
import { Script, type Event } from './script';
import { settingsOf, World } from './world';

const TURN = fc.record({
  /** Distance to the turn that this one continues; 0 begins anew. */
  back: fc.integer({ min: 0, max: 3 }),
  role: fc.constantFrom('user' as const, 'user' as const, 'tool' as const, null),
  kind: fc.constantFrom('main' as const, 'main' as const, 'main' as const, 'side' as const),
  exclusion: fc.constantFrom(undefined, undefined, undefined, 'undelivered' as const, 'no_token_ids' as const),
  history: fc.constantFrom(undefined, undefined, undefined, 'compacted' as const, 'pruned' as const),
});

const NAMING = fc.constantFrom('named' as const, 'runtime' as const, 'nothing' as const);

type Turn = typeof TURN extends fc.Arbitrary<infer Value> ? Value : never;
type Naming = typeof NAMING extends fc.Arbitrary<infer Value> ? Value : never;

/** One client's turns in the order of their publishing; a named session ends with its last turn. */
const eventsOf = (turns: readonly Turn[], naming: Naming): Event[] => {
  const script = new Script();
  const events = turns.map(({ back, ...shape }, i) =>
    script.turn(`t${i}`, {
      ...shape,
      ...(back === 0 || back > i ? {} : { after: `t${i - back}` }),
      ...(naming === 'named' ? { session: 'S', done: i === turns.length - 1 } : {}),
      ...(naming === 'runtime' ? { runtime: 'R' } : {}),
    }),
  );
  return events.flatMap(({ both }) => both);
};

/** Numbers that follow from a seed alone, so that a failure can be played again. */
const drawFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 8;
  };
};

const inOrder = async (events: readonly Event[]): Promise<World> => {
  const world = new World();
  await world.play(...events);
  await world.goQuiet();
  return world;
};

const expectSame = (world: World, reference: World): void => {
  expect(Object.keys(world.followed).sort()).toEqual(Object.keys(reference.followed).sort());
  expect(world.settled).toEqual(reference.settled);
  const followers = Object.values(world.followed);
  expect(new Set(followers).size).toBe(followers.length);
};

describe('the session-tracker, whatever the order of events', () => {
  it('gives every turn the same fate, for all orders, repetitions, crashes and events in hand at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(TURN, { minLength: 1, maxLength: 6 }),
        NAMING,
        fc.nat(),
        fc.integer({ min: 1, max: 4 }),
        async (turns, naming, seed, parallel) => {
          const events = eventsOf(turns, naming);
          const draw = drawFrom(seed);
          const order = [...events.keys(), ...events.keys()]
            .map((sequence) => ({ sequence, key: draw() }))
            .sort((a, b) => a.key - b.key)
            .map(({ sequence }) => sequence);
          const world = new World();
          world.publish(...events);
          const crashIn = (): number => (draw() % 3 === 0 ? 1 + (draw() % 40) : 0);
          await world.deliver(order, { parallel, crashIn });
          await world.goQuiet(crashIn);
          await world.goQuiet();
          const reference = await inOrder(events);
          expectSame(world, reference);
          if (naming === 'named') expect(world.ended).toEqual(reference.ended);
        },
      ),
      { numRuns: 200 },
    );
  }, 60_000);

  it('lets no turn with words and a score be settled, but followed by the words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([0, 1, 2], { minLength: 3 }), fc.nat(), async (order, seed) => {
        const [script, world, draw] = [new Script(), new World(settingsOf('hybrid')), drawFrom(seed)];
        const words = { score: 1, hasText: true } as const;
        world.publish(...script.turn('t0', { session: 'S' }).both, script.feedback('f0', 't0', words));
        const crashIn = (): number => (draw() % 3 === 0 ? 1 + (draw() % 20) : 0);
        await world.deliver([...order, ...order], { parallel: 1 + (seed % 3), crashIn });
        await world.goQuiet(crashIn);
        await world.goQuiet();
        expect(world.followed).toEqual({ t0: 'f0' });
        expect(world.settled).toEqual({});
      }),
    );
  });

  it('leaves no turn of the main line without a fate: followed or settled', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(TURN, { minLength: 1, maxLength: 6 }), NAMING, async (turns, naming) => {
        const { followed, settled } = await inOrder(eventsOf(turns, naming));
        const fates = turns.map((_turn, i) =>
          [followed[`t${i}`] !== undefined, settled[`t${i}`] !== undefined].filter((hasFate) => hasFate),
        );
        expect(fates.every(({ length }) => length === 1)).toBe(true);
      }),
    );
  });
});
