import fc from 'fast-check';
import votes from './fixtures/votes.json';
import { isDecided, majorityVote } from './majority-vote';
import type { Score } from './score';

type Vote = Score | null;

const cases = votes as readonly { name: string; scores: Vote[]; score: Vote }[];
const vote = fc.constantFrom<Vote>(1, -1, 0, null);

describe('majorityVote', () => {
  it.each(cases)('$name', ({ scores, score }) => {
    expect(majorityVote(Object.freeze(scores))).toBe(score);
  });

  it('does not depend on the order of the votes', () => {
    const shuffled = fc
      .array(vote, { maxLength: 9 })
      .chain((scores) => fc.tuple(fc.constant(scores), fc.shuffledSubarray(scores, { minLength: scores.length })));
    fc.assert(
      fc.property(shuffled, ([scores, other]) => {
        expect(majorityVote(other)).toBe(majorityVote(scores));
      }),
    );
  });

  it('changes its sign when every vote does', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 9 }), (scores) => {
        const negate = (score: Vote): Vote => (score === null || score === 0 ? score : score === 1 ? -1 : 1);
        expect(majorityVote(scores.map(negate))).toBe(negate(majorityVote(scores)));
      }),
    );
  });
});

/** Every result that is still possible, by trying all values of the missing votes. */
const reachable = (scores: readonly Vote[], missing: number): Set<Vote> => {
  if (missing === 0) return new Set([majorityVote(scores)]);
  const results = ([1, -1, 0, null] as const).map((next) => reachable([...scores, next], missing - 1));
  return new Set(results.flatMap((set) => [...set]));
};

describe('isDecided', () => {
  it.each([
    ['two equal votes of three', [1, 1], 3, true],
    ['two equal votes of four', [1, 1], 4, false],
    ['three equal votes of five', [1, 1, 1], 5, true],
    ['two equal votes of five, one of them missing its rival', [1, 1, null, null], 5, true],
    ['neutral, out of reach of both sides', [0, 0], 3, true],
    ['a tie that the last vote can break', [1, -1], 3, false],
    ['nothing but failures', [null, null], 3, false],
    ['nothing but failures, all in', [null, null, null], 3, true],
    ['no vote asked for', [], 0, true],
  ] as [string, Vote[], number, boolean][])('%s', (_name, scores, asked, decided) => {
    expect(isDecided(scores, asked)).toBe(decided);
  });

  it('agrees with trying all values of the missing votes', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 6 }), fc.integer({ min: 0, max: 4 }), (scores, missing) => {
        expect(isDecided(scores, scores.length + missing)).toBe(reachable(scores, missing).size === 1);
      }),
      { numRuns: 500 },
    );
  });
});
