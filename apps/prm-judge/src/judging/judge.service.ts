import { Injectable } from '@nestjs/common';
import type { Score } from '@app/advantage';
import { jitter, OutageError } from '@app/bus';
import { Settings } from '@app/config';
import type { Vote } from '@app/contracts';
import { Breaker, EngineError, EngineStatusError, type AnswerForm, type ChatQuestion } from '@app/engines';
import { Telemetry } from '@app/telemetry';
import { JudgeEngine, type Verdict } from './judge-engine';
import { outageDelayMs } from './outage-delay';
import { buildPrompt, type FollowedTurn } from './prompt';
import { cutMiddle } from './quoting';
import { collectVotes, type Ballot, type CastVote } from './vote';

/** Characters of a vote's text that are kept. */
const LONGEST_TEXT = 8000;
/** Turns in a row whose question was refused, after which it is our questions that are taken to be wrong, not the turns. */
const MOST_REFUSALS = 3;

/** Deliveries after which a turn that alone finds no answer, while others do, is not tried again. */
const MOST_DELIVERIES = 12;

type PromptFor = (form: AnswerForm) => ChatQuestion['messages'];

/** `score` null is "not judged", for the reason in `detail`. */
export interface Judgement {
  readonly score: Score | null;
  readonly votes: Vote[];
  readonly judgeModel: string;
  readonly detail?: 'no_valid_vote' | 'judge_refused' | 'judge_failed';
}

/** Judges one turn by a vote. Knows neither where turns come from nor where verdicts go. */
@Injectable()
export class JudgeService {
  private readonly refusals: Breaker;

  constructor(
    private readonly engine: JudgeEngine,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {
    this.refusals = new Breaker({ failures: MOST_REFUSALS, openMs: settings.judge.breakerOpenS * 1000 });
  }

  /** As many as can be asked about at once: a turn that waited here could be judged by another replica. */
  get turnsAtOnce(): number {
    const { concurrency, votes } = this.settings.judge;
    return Math.ceil(concurrency / votes);
  }

  /** Whether turns wait because the judge is out of order, or refuses everything. */
  get isPaused(): boolean {
    return this.engine.isPaused || this.refusals.isOpen;
  }

  /** For how many milliseconds no turn can be judged; 0 if one could be. */
  pauseMs(): number {
    return Math.max(this.engine.pauseMs(), this.refusals.waitMs(performance.now()));
  }

  /**
   * @param deliveries how often this turn has been tried, from 1
   * @throws OutageError if so few votes could be asked for that they decide nothing: the turn has to be judged later
   */
  async judge(
    turn: FollowedTurn,
    { signal, deliveries }: { signal: AbortSignal; deliveries: number },
  ): Promise<Judgement> {
    const promptFor = promptsOf(turn);
    const ballot = await collectVotes((voting) => this.cast(promptFor, voting), {
      count: this.settings.judge.votes,
      signal,
    });
    this.noteRefusals(ballot);
    const votes = ballot.votes.map(({ score, text, millis }) => ({ score, text, millis }));
    const judgement = { score: ballot.score, votes, judgeModel: this.engine.model };
    if (!ballot.decided || (ballot.score === null && this.refusals.isOpen)) {
      // The judge answers others: it is this question that it cannot cope with.
      const isHopeless = deliveries >= MOST_DELIVERIES && !this.isPaused && !signal.aborted;
      if (isHopeless) return { ...judgement, score: null, detail: 'judge_failed' };
      throw new OutageError(describeOutage(ballot), signal.aborted ? 0 : this.delayMs(deliveries));
    }
    return ballot.score === null ? { ...judgement, detail: detailOf(ballot) } : judgement;
  }

  private delayMs(deliveries: number): number {
    return outageDelayMs({ isPaused: this.isPaused, pauseMs: this.pauseMs(), deliveries, spread: jitter(1) });
  }

  /** One refusal is about its turn. Many in a row are about the settings, and then no turn must be lost by them. */
  private noteRefusals({ votes }: Ballot): void {
    if (votes.length === 0) return;
    const outcome = votes.every((vote) => vote.refused) ? 'down' : 'up';
    this.refusals.settle('probe', outcome, performance.now());
  }

  private async cast(promptFor: PromptFor, signal: AbortSignal): Promise<CastVote> {
    const start = performance.now();
    const verdict = await this.engine.ask(promptFor, signal).catch((error: unknown) => {
      if (error instanceof EngineStatusError && !error.outage) return null;
      if (!signal.aborted) this.telemetry.metrics.votes.inc({ result: 'failed' });
      throw error;
    });
    return this.count(verdict, Math.round(performance.now() - start));
  }

  /** `verdict` null: the judge refused the question. */
  private count(verdict: Verdict | null, millis: number): CastVote {
    const score = verdict?.score ?? null;
    this.telemetry.metrics.votes.inc({ result: score === null ? 'invalid' : String(score) });
    this.telemetry.metrics.voteSeconds.observe(millis / 1000);
    return { score, text: cutMiddle(verdict?.text ?? '', LONGEST_TEXT), millis, refused: verdict === null };
  }
}

/** Builds each form's prompt once for all votes of a turn. */
const promptsOf = (turn: FollowedTurn): PromptFor => {
  const built = new Map<AnswerForm, ChatQuestion['messages']>();
  return (form) => {
    const prompt = built.get(form) ?? buildPrompt(turn, form);
    built.set(form, prompt);
    return prompt;
  };
};

const detailOf = ({ votes }: Ballot): 'no_valid_vote' | 'judge_refused' =>
  votes.some((vote) => vote.refused) ? 'judge_refused' : 'no_valid_vote';

/** In words, without any text of the conversation. */
const describeOutage = ({ failures, votes }: Ballot): string => {
  const names = failures.map((failure) => {
    if (failure instanceof EngineStatusError) return `status ${failure.status}`;
    return failure instanceof EngineError ? failure.name : 'given up';
  });
  if (names.length === 0) names.push('all refused');
  return `${failures.length} votes are missing (${[...new Set(names)].join(', ')}), ${votes.length} were cast`;
};
