import fc from 'fast-check';
import { EventQueue } from './event-queue';

const drain = (queue: EventQueue<number>): [number, number][] => {
  const seen: [number, number][] = [];
  for (let next = queue.pop(); next !== null; next = queue.pop()) seen.push([next.at, next.event]);
  return seen;
};

it('gives events by time, and those of the same moment as they were pushed', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 9 })), (times) => {
      const queue = new EventQueue<number>();
      for (const [i, at] of times.entries()) queue.push(at, i);
      expect(queue.size).toBe(times.length);
      const expected = times.map((at, i): [number, number] => [at, i]).sort(([a, i], [b, j]) => a - b || i - j);
      expect(drain(queue)).toEqual(expected);
    }),
  );
});

it('takes events between those that it gives', () => {
  const queue = new EventQueue<number>();
  for (const at of [5, 1, 3]) queue.push(at, at);
  expect(queue.pop()).toMatchObject({ at: 1 });
  queue.push(2, 2);
  expect(drain(queue).map(([at]) => at)).toEqual([2, 3, 5]);
  expect(queue.pop()).toBeNull();
});
