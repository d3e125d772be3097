import type { Bus } from '@app/bus';
import { LIVE_SUBJECT, type LiveRows as Told, type TurnRow } from '@app/contracts';
import type { ConsoleIndex } from './console-index';
import { LiveRows } from './live-rows';

/** An index of turns that all changed just now, and what is told of them. */
const setUp = (sinceAsked = 0) => {
  const told: string[][] = [];
  const gone: string[] = [];
  let change: (turnId: string) => void = () => undefined;
  let remove = change;
  const publish = (subject: string, json: string): void => {
    expect(subject).toBe(LIVE_SUBJECT);
    const { turns, gone: removed = [] } = JSON.parse(json) as Told;
    told.push(turns.map(({ turnId }) => turnId));
    gone.push(...removed);
  };
  const bus = { core: () => ({ publish }) } as unknown as Bus;
  const index = {
    sinceAsked,
    onChange: (listener: (turnId: string) => void) => (change = listener),
    onGone: (listener: (turnId: string) => void) => (remove = listener),
    place: () => Promise.resolve(),
    rows: { get: (turnId: string) => ({ turnId }) as TurnRow },
  } as unknown as ConsoleIndex;
  const live = new LiveRows(bus, index);
  live.onApplicationBootstrap();
  return {
    live,
    told,
    gone,
    remove: (turnId: string) => {
      remove(turnId);
    },
    change: (turnId: string) => {
      change(turnId);
    },
  };
};

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('tells each turn once, however often it has changed, and nothing where nothing has', async () => {
  const { live, told, change } = setUp();
  for (const turnId of ['a', 'b', 'a']) change(turnId);
  await jest.advanceTimersByTimeAsync(2000);
  expect(told).toEqual([['b', 'a']]);
  live.onModuleDestroy();
});

test('under more turns than can be read it tells those that changed last, and does not fall behind', async () => {
  const { live, told, change } = setUp();
  for (let second = 0; second < 3; second += 1) {
    for (let i = 0; i < 1000; i += 1) change(`t${second}-${i}`);
    await jest.advanceTimersByTimeAsync(1000);
  }
  expect(told.map((turns) => turns.length)).toEqual([200, 200, 200]);
  expect(told.map((turns) => turns.at(-1))).toEqual(['t0-999', 't1-999', 't2-999']);
  live.onModuleDestroy();
});

test('tells what was removed, and nothing else of it', async () => {
  const { live, told, gone, change, remove } = setUp();
  for (const turnId of ['a', 'b']) change(turnId);
  remove('a');
  await jest.advanceTimersByTimeAsync(2000);
  expect([told, gone]).toEqual([[['b']], ['a']]);
  live.onModuleDestroy();
});

test('tells nobody where nobody has asked for a while', async () => {
  const { live, told, change } = setUp(31_000);
  change('a');
  await jest.advanceTimersByTimeAsync(1000);
  expect(told).toEqual([]);
  live.onModuleDestroy();
});
