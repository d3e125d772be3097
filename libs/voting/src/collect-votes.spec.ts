import fc from 'fast-check';
import { isDecided, majorityVote, type Score } from '@app/advantage';
import { collectVotes, VotingClosedError, type Ballot, type CastVote } from './collect-votes';

const vote = (score: Score | null): CastVote<Score> => ({ answer: score, text: '', millis: 1, refused: false });
const never = new AbortController().signal;
const scoreOf = ({ votes }: Ballot<Score>): Score | null => majorityVote(votes.map((each) => each.answer));

/** A judge whose votes come in when the test says so. */
const setUp = (count: number, signal = never) => {
  const pending: { answer: (score: Score | null) => void; fail: (error: Error) => void; signal: AbortSignal }[] = [];
  const ballot = collectVotes<Score>(
    (castSignal) =>
      new Promise((resolve, reject) => {
        castSignal.addEventListener('abort', () => {
          reject(castSignal.reason as Error);
        });
        pending.push({
          answer: (score) => {
            resolve(vote(score));
          },
          fail: reject,
          signal: castSignal,
        });
      }),
    { count, isDecided: (scores) => isDecided(scores, count), signal },
  );
  return { ballot, pending };
};

describe('collectVotes', () => {
  it('keeps the majority on a 2-1 vote, with the votes in the order they came', async () => {
    const { ballot, pending } = setUp(3);
    pending[2]!.answer(1);
    pending[0]!.answer(-1);
    pending[1]!.answer(1);
    await expect(ballot).resolves.toMatchObject({
      decided: true,
      votes: [{ answer: 1 }, { answer: -1 }, { answer: 1 }],
    });
    expect(scoreOf(await ballot)).toBe(1);
  });

  describe('that is decided', () => {
    beforeEach(() => {
      jest.useFakeTimers();
    });
    afterEach(() => {
      jest.useRealTimers();
    });

    const decide = async () => {
      const { ballot, pending } = setUp(3);
      pending[0]!.answer(-1);
      pending[2]!.answer(-1);
      return { ballot: await ballot, open: pending[1]! };
    };

    it('closes when nothing can change any more, and gives up what does not end within a moment', async () => {
      const { ballot, open } = await decide();
      expect(ballot).toMatchObject({ decided: true, votes: [{ answer: -1 }, { answer: -1 }] });
      expect(open.signal.aborted).toBe(false);
      jest.advanceTimersByTime(20);
      expect(open.signal.reason).toBeInstanceOf(VotingClosedError);
    });

    it('lets a vote end that ends by itself, and does not count it', async () => {
      const { ballot, open } = await decide();
      open.answer(1);
      await Promise.resolve();
      jest.advanceTimersByTime(20);
      expect(open.signal.aborted).toBe(false);
      expect(ballot.votes).toHaveLength(2);
    });
  });

  it.each([
    [[null, null, null], 0, null, true],
    [[1, null, null], 0, 1, true],
    [[1, 1], 1, 1, true],
    [[1, -1], 1, 0, false],
    [[1, null], 1, 1, false],
    [[0, null], 1, 0, true],
    [[null, null], 1, null, false],
    [[], 3, null, false],
  ] as const)('with votes %j and %d failed: score %s, decided %s', async (scores, failed, score, decided) => {
    const { ballot, pending } = setUp(3);
    for (let i = 0; i < failed; i += 1) pending.pop()!.fail(new TypeError('down'));
    scores.forEach((each, i) => {
      pending[i]!.answer(each);
    });
    await expect(ballot).resolves.toMatchObject({ decided });
    expect(scoreOf(await ballot)).toBe(score);
  });

  it('ends undecided when it is given up', async () => {
    const leaving = new AbortController();
    const { ballot, pending } = setUp(3, leaving.signal);
    pending[0]!.answer(1);
    await new Promise((resolve) => setImmediate(resolve));
    leaving.abort(new RangeError('going'));
    await expect(ballot).resolves.toMatchObject({
      decided: false,
      failures: [expect.any(RangeError), expect.any(RangeError)],
    });
  });

  it('gives the score of all votes, whatever the order and wherever it stops', async () => {
    const scores = fc.array(fc.constantFrom(1 as const, -1 as const, 0 as const, null), { minLength: 1, maxLength: 7 });
    await fc.assert(
      fc.asyncProperty(scores, async (all) => {
        const queue = [...all];
        const ballot = await collectVotes(() => Promise.resolve(vote(queue.shift()!)), {
          count: all.length,
          isDecided: (seen) => isDecided(seen, all.length),
          signal: never,
        });
        expect(ballot.decided).toBe(true);
        expect(scoreOf(ballot)).toBe(majorityVote(all));
      }),
    );
  });
});
