/** An answer of the judge. `answer` null: it answered, but not in the form that was asked for. */
export interface CastVote<Answer> {
  readonly answer: Answer | null;
  readonly text: string;
  /** Time from the question to the answer, repetitions included. */
  readonly millis: number;
  /** The judge refused the question itself; asking again would not help. */
  readonly refused: boolean;
}

export interface Ballot<Answer> {
  /** Votes that were cast before it was decided, in the order in which they came. */
  readonly votes: readonly CastVote<Answer>[];
  /** What kept the other ones from being cast. */
  readonly failures: readonly unknown[];
  /** Whether the result would be the same with every vote cast. */
  readonly decided: boolean;
}

/**
 * How long votes that can change nothing any more may end by themselves, in milliseconds. Ending one costs its connection; the
 * votes of a turn often come in at nearly the same moment, and then nothing has to be ended.
 */
const CLOSING_MS = 20;

/** Reason of the abort that ends votes which can change nothing any more. */
export class VotingClosedError extends Error {
  override readonly name = 'VotingClosedError';
}

export interface VotingOptions<Answer> {
  readonly count: number;
  /** Whether the missing votes, whatever they were, could change nothing. */
  readonly isDecided: (answers: readonly (Answer | null)[]) => boolean;
  /** Gives up all votes. */
  readonly signal: AbortSignal;
}

/**
 * Has `count` votes cast at once and closes as soon as no missing vote could change the result. Nobody waits for the rest: what
 * does not end by itself within a moment is aborted.
 * A vote that fails is missing for good: without it the result may stay undecided. Never rejects.
 */
export const collectVotes = <Answer>(
  cast: (signal: AbortSignal) => Promise<CastVote<Answer>>,
  { count, isDecided, signal }: VotingOptions<Answer>,
): Promise<Ballot<Answer>> =>
  new Promise((resolve) => {
    const closing = new AbortController();
    const votes: CastVote<Answer>[] = [];
    const failures: unknown[] = [];
    let isClosed = false;
    let abortion: NodeJS.Timeout | undefined;
    const close = (): void => {
      const running = count - votes.length - failures.length;
      if (running === 0) clearTimeout(abortion);
      if (isClosed) return;
      const decided = isDecided(votes.map((vote) => vote.answer));
      if (!decided && running > 0) return;
      isClosed = true;
      resolve({ votes: [...votes], failures: [...failures], decided });
      if (running > 0) abortion = setTimeout(abort, CLOSING_MS);
    };
    const abort = (): void => {
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
