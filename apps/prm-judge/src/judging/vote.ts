import { isDecided, majorityVote, type Score } from '@app/advantage';

/** An answer of the judge. `score` null: it answered, but not with a verdict. */
export interface CastVote {
  readonly score: Score | null;
  readonly text: string;
  /** Time from the question to the verdict, repetitions included. */
  readonly millis: number;
  /** The judge refused the question itself; asking again would not help. */
  readonly refused: boolean;
}

export interface Ballot {
  /** Votes that were cast before it was decided, in the order in which they came. */
  readonly votes: readonly CastVote[];
  /** What kept the other ones from being cast. */
  readonly failures: readonly unknown[];
  /** Whether `score` would be the same with every vote cast. */
  readonly decided: boolean;
  /** Null: no valid vote. */
  readonly score: Score | null;
}

/** Reason of the abort that ends votes which can change nothing any more. */
export class VotingClosedError extends Error {
  override readonly name = 'VotingClosedError';
}

export interface VotingOptions {
  readonly count: number;
  /** Gives up all votes. */
  readonly signal: AbortSignal;
}

/**
 * Has `count` votes cast at once and closes as soon as no missing vote could change the result; the rest is aborted.
 * A vote that fails is missing for good: without it the result may stay undecided. Never rejects.
 */
export const collectVotes = (
  cast: (signal: AbortSignal) => Promise<CastVote>,
  { count, signal }: VotingOptions,
): Promise<Ballot> =>
  new Promise((resolve) => {
    const closing = new AbortController();
    const votes: CastVote[] = [];
    const failures: unknown[] = [];
    const close = (): void => {
      const scores = votes.map((vote) => vote.score);
      const decided = isDecided(scores, count);
      if (closing.signal.aborted || (!decided && votes.length + failures.length < count)) return;
      resolve({ votes: [...votes], failures: [...failures], decided, score: majorityVote(scores) });
      closing.abort(new VotingClosedError('the vote is decided'));
    };
    const votingSignal = AbortSignal.any([signal, closing.signal]);
    for (let i = 0; i < count; i += 1) {
      cast(votingSignal).then(
        (vote) => {
          votes.push(vote);
          close();
        },
        (error: unknown) => {
          failures.push(error);
          close();
        },
      );
    }
  });
