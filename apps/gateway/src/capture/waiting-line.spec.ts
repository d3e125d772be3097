import fc from 'fast-check';
import { WaitingLine } from './waiting-line';

const step = fc.oneof(
  { weight: 3, arbitrary: fc.constant('new' as const) },
  { weight: 3, arbitrary: fc.constant('take' as const) },
  { weight: 1, arbitrary: fc.constant('back' as const) },
);

describe('WaitingLine', () => {
  it('gives what waits in the order of its places, whatever comes back', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5000 }), (steps) => {
        const line = new WaitingLine<{ place: number }>();
        const waiting = new Set<number>();
        const taken: number[] = [];
        let places = 0;
        for (const each of steps) {
          if (each === 'take') {
            const place = line.take()?.place;
            expect(place).toBe(waiting.size === 0 ? undefined : Math.min(...waiting));
            if (place === undefined) continue;
            waiting.delete(place);
            taken.push(place);
          } else {
            const place = each === 'back' ? taken.pop() : places++;
            if (place === undefined) continue;
            waiting.add(place);
            line.add({ place });
          }
          expect(line.length).toBe(waiting.size);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('gives a long line to its end', () => {
    const line = new WaitingLine<{ place: number }>();
    for (let place = 0; place < 5000; place += 1) line.add({ place });
    for (let place = 0; place < 5000; place += 1) expect(line.take()).toEqual({ place });
    expect([line.take(), line.length]).toEqual([undefined, 0]);
    line.add({ place: 5000 });
    expect(line.take()).toEqual({ place: 5000 });
  });
});
