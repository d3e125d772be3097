import fc from 'fast-check';
import { StoredOutcomes, type Outcome } from './stored-outcomes';

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom('neutral', 'no_next_state', 'side_turn').map((reason) => ({ outcome: reason })),
  fc.constantFrom('reward', 'both').map((signal) => ({ outcome: 'sample', signal })),
);

const countedFrom = (outcomes: readonly Outcome[]): StoredOutcomes => {
  const counted = new StoredOutcomes();
  outcomes.forEach((each, i) => {
    counted.add(i + 1, each);
  });
  return counted;
};
const plainly = (names: readonly (string | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) if (name !== undefined) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};

describe('StoredOutcomes', () => {
  it('counts what the stream still holds, whatever has gone from its beginning or its middle', () => {
    fc.assert(
      fc.property(
        fc.array(outcome, { maxLength: 30 }),
        fc.nat(32),
        fc.array(fc.nat(32)),
        (outcomes, first, deleted) => {
          const counted = countedFrom(outcomes);
          counted.keep(first, deleted);
          counted.keep(first, deleted);
          const left = outcomes.filter((_, i) => i + 1 >= first && !deleted.includes(i + 1));
          expect(counted.counts).toEqual(plainly(left.map((each) => each.outcome)));
          expect(counted.signalCounts).toEqual(plainly(left.map((each) => each.signal)));
        },
      ),
    );
  });

  it('begins anew with a stream that is made anew', () => {
    const counted = countedFrom([{ outcome: 'sample', signal: 'reward' }]);
    counted.clear();
    counted.add(1, { outcome: 'neutral' });
    expect([counted.counts, counted.signalCounts]).toEqual([{ neutral: 1 }, {}]);
  });
});
