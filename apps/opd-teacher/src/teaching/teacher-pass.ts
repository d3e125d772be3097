import { Injectable } from '@nestjs/common';
import { appendHint, type ChatMessage } from '@app/chat';
import { jitter, OutageError } from '@app/bus';
import { Settings } from '@app/config';
import type { NoHintReason } from '@app/contracts';
import { EngineError, EngineStatusError, IncompleteScoresError, type Scores } from '@app/engines';
import { outageDelayMs, type PollOptions } from '@app/voting';
import { cutHint } from './cut-hint';
import { Teacher } from './teacher';

/** Deliveries after which a turn that alone cannot be scored, while others are, is not tried again. */
const MOST_DELIVERIES = 12;

/** What is scored: the policy's own tokens. */
export interface AnsweredTurn {
  readonly messages: readonly ChatMessage[];
  readonly tools?: readonly unknown[] | undefined;
  /** As the policy's engine rendered the messages. */
  readonly promptIds: Int32Array;
  readonly responseIds: Int32Array;
}

export type PassResult = { readonly scores: Scores } | { readonly reason: NoHintReason; readonly detail: string };

const areEqual = (a: Int32Array, b: Int32Array): boolean => a.length === b.length && a.every((id, i) => id === b[i]);

/** One answer's tokens under the teacher, which is given the hint. */
@Injectable()
export class TeacherPass {
  constructor(
    private readonly teacher: Teacher,
    private readonly settings: Settings,
  ) {}

  /** The teacher's model, as its server calls it; null before it is found. */
  get model(): string | null {
    return this.teacher.model;
  }

  /** The hint, no longer than it may be. @throws OutageError */
  async cut(hint: string, options: PollOptions): Promise<string> {
    const count = (text: string): Promise<number> => this.teacher.countTokens(text, options.signal);
    try {
      return await cutHint(hint, this.settings.opd.maxHintTokens, count);
    } catch (error) {
      if (!(error instanceof EngineError) && !options.signal.aborted) throw error;
      throw this.outage(error, options);
    }
  }

  /**
   * Renders the prompt with the hint and scores the answer's own tokens behind it. The prompt without the hint is rendered as
   * well: only if that gives the very ids that the policy was given is it known that the hint is all that differs.
   *
   * @throws OutageError while the teacher is out of order: the turn has to come again later
   */
  async score(turn: AnsweredTurn, hint: string, options: PollOptions): Promise<PassResult> {
    try {
      return await this.pass(turn, hint, options.signal);
    } catch (error) {
      if (error instanceof IncompleteScoresError) return { reason: 'scores_incomplete', detail: error.message };
      if (error instanceof EngineStatusError && !error.outage)
        return { reason: 'teacher_refused', detail: error.message };
      if (!(error instanceof EngineError) && !options.signal.aborted) throw error;
      return this.waitOrGiveUp(error, options);
    }
  }

  private async pass(turn: AnsweredTurn, hint: string, signal: AbortSignal): Promise<PassResult> {
    const { messages, tools, promptIds, responseIds } = turn;
    const [plain, hinted] = await Promise.all([
      this.teacher.render({ messages, tools }, signal),
      this.teacher.render({ messages: appendHint(messages, hint), tools }, signal),
    ]);
    if (!areEqual(plain, promptIds)) {
      const detail = `the teacher's engine renders ${plain.length} other tokens than the ${promptIds.length} that the policy was given`;
      return { reason: 'prompt_mismatch', detail };
    }
    const ids = new Int32Array(hinted.length + responseIds.length);
    ids.set(hinted);
    ids.set(responseIds, hinted.length);
    const request = { ids, responseLength: responseIds.length, topK: this.settings.opd.distillTopk };
    return { scores: await this.teacher.score(request, signal) };
  }

  private waitOrGiveUp(error: unknown, options: PollOptions): PassResult {
    // The teacher scores others: it is this turn that it cannot cope with.
    const isHopeless = options.deliveries >= MOST_DELIVERIES && this.teacher.state === 'up' && !options.signal.aborted;
    if (isHopeless) return { reason: 'teacher_failed', detail: nameOf(error) };
    throw this.outage(error, options);
  }

  private outage(cause: unknown, { signal, deliveries }: PollOptions): OutageError {
    const isPaused = this.teacher.state !== 'up';
    const delay = { isPaused, pauseMs: this.teacher.pauseMs(), deliveries, spread: jitter(1) };
    return new OutageError(`the teacher: ${nameOf(cause)}`, signal.aborted ? 0 : outageDelayMs(delay), { cause });
  }
}

const nameOf = (error: unknown): string => (error instanceof EngineError ? error.message : 'given up');
