import { Injectable } from '@nestjs/common';
import { jitter, OutageError } from '@app/bus';
import { Settings } from '@app/config';
import { Breaker, EngineError, EngineStatusError } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { collectVotes, type Ballot, type CastVote } from './collect-votes';
import { JudgeEngine } from './judge-engine';
import { outageDelayMs } from './outage-delay';
import type { Asker, Question } from './question';
import { cutMiddle } from './quoting';

/** Characters of a vote's text that are kept. */
const LONGEST_TEXT = 8000;
/** Turns in a row whose question was refused, after which it is our questions that are taken to be wrong, not the turns. */
const MOST_REFUSALS = 3;
/** Deliveries after which a turn that alone finds no answer, while others do, is not tried again. */
const MOST_DELIVERIES = 12;

/** A question that is put to the vote. */
export interface Motion<Answer> extends Question<Answer> {
  /** Whether the missing votes, whatever they were, could change nothing. */
  readonly isDecided: (answers: readonly (Answer | null)[]) => boolean;
  /** Result of a valid vote, as the metric calls it. */
  readonly resultOf: (answer: Answer) => string;
}

export interface Poll<Answer> {
  readonly votes: readonly CastVote<Answer>[];
  /** Why the votes decide nothing; null if they do. */
  readonly failure: 'no_valid_vote' | 'judge_refused' | 'judge_failed' | null;
}

/** How often the turn has been tried, from 1, and what gives it up. */
export interface PollOptions {
  readonly signal: AbortSignal;
  readonly deliveries: number;
}

/** Puts questions about one turn to the vote of the judge. Knows neither where turns come from nor what answers mean. */
@Injectable()
export class Voter {
  private readonly refusals: Breaker;

  constructor(
    private readonly engine: JudgeEngine,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {
    this.refusals = new Breaker({ failures: MOST_REFUSALS, openMs: settings.judge.breakerOpenS * 1000 });
  }

  /** The judge's model, as its server calls it. */
  get model(): string {
    return this.engine.model;
  }

  /** As many as can be asked about at once: a turn that waited here could be worked on by another replica. */
  get turnsAtOnce(): number {
    const { concurrency, votes } = this.settings.judge;
    return Math.ceil(concurrency / votes);
  }

  /** Whether turns wait because the judge is out of order, or refuses everything. */
  get isPaused(): boolean {
    return this.engine.isPaused || this.refusals.isOpen;
  }

  /** Whether turns wait for a weight update. */
  get isGated(): boolean {
    return this.engine.isGated;
  }

  /** For how many milliseconds no turn can be asked about; 0 if one could be. */
  pauseMs(): number {
    return Math.max(this.engine.pauseMs(), this.refusals.waitMs(performance.now()));
  }

  /** @throws OutageError if so few votes could be asked for that they decide nothing: the turn has to come again later */
  async poll<Answer>(motion: Motion<Answer>, { signal, deliveries }: PollOptions): Promise<Poll<Answer>> {
    const ask = this.engine.prepare(motion);
    const ballot = await collectVotes((voting) => this.cast(motion, ask, voting), {
      count: this.settings.judge.votes,
      isDecided: motion.isDecided,
      signal,
    });
    this.noteRefusals(ballot);
    const { votes } = ballot;
    const hasAnswer = votes.some((vote) => vote.answer !== null);
    if (ballot.decided && (hasAnswer || !this.refusals.isOpen)) {
      return { votes, failure: hasAnswer ? null : failureOf(ballot) };
    }
    // The judge answers others: it is this question that it cannot cope with.
    const isHopeless = deliveries >= MOST_DELIVERIES && !this.isPaused && !signal.aborted;
    if (isHopeless) return { votes, failure: 'judge_failed' };
    throw new OutageError(describeOutage(ballot), signal.aborted ? 0 : this.delayMs(deliveries));
  }

  private delayMs(deliveries: number): number {
    return outageDelayMs({ isPaused: this.isPaused, pauseMs: this.pauseMs(), deliveries, spread: jitter(1) });
  }

  /** One refusal is about its turn. Many in a row are about the settings, and then no turn must be lost by them. */
  private noteRefusals({ votes }: Ballot<unknown>): void {
    if (votes.length === 0) return;
    const outcome = votes.every((vote) => vote.refused) ? 'down' : 'up';
    this.refusals.settle('probe', outcome, performance.now());
  }

  private async cast<Answer>(
    motion: Motion<Answer>,
    ask: Asker<Answer>,
    signal: AbortSignal,
  ): Promise<CastVote<Answer>> {
    const { metrics, tracer } = this.telemetry;
    const start = performance.now();
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': this.model };
    // What nobody waits for any more does not fail.
    const isFault = (): boolean => !signal.aborted;
    const reply = await tracer.span('vote', { kind: 'client', attributes, isFault }, () =>
      ask(signal).catch((error: unknown) => {
        if (error instanceof EngineStatusError && !error.outage) return null;
        if (!signal.aborted) metrics.votes.inc({ result: 'failed' });
        throw error;
      }),
    );
    const millis = Math.round(performance.now() - start);
    const answer = reply?.answer ?? null;
    metrics.votes.inc({ result: answer === null ? 'invalid' : motion.resultOf(answer) });
    metrics.voteSeconds.observe(millis / 1000);
    return { answer, text: cutMiddle(reply?.text ?? '', LONGEST_TEXT), millis, refused: reply === null };
  }
}

const failureOf = ({ votes }: Ballot<unknown>): 'no_valid_vote' | 'judge_refused' =>
  votes.some((vote) => vote.refused) ? 'judge_refused' : 'no_valid_vote';

/** In words, without any text of the conversation. */
const describeOutage = ({ failures, votes }: Ballot<unknown>): string => {
  const names = failures.map((failure) => {
    if (failure instanceof EngineStatusError) return `status ${failure.status}`;
    return failure instanceof EngineError ? failure.name : 'given up';
  });
  if (names.length === 0) names.push('all refused');
  return `${failures.length} votes are missing (${[...new Set(names)].join(', ')}), ${votes.length} were cast`;
};
